"""What the reader has set is in the address of a page, offline as well."""

from __future__ import annotations

from playwright.sync_api import Page, expect

import condped
from tests.show.report.conftest import Opener
from tests.show.report.studies import conditional, wide


def fragment(page: Page, words: str) -> None:
    """Wait until the address ends in these words."""
    page.wait_for_function("words => location.hash === words", arg=words)


def test_the_address_keeps_what_is_set(opened: Opener) -> None:
    """Slider, method, sections and cards; a new visit to the address shows the same."""
    page = opened(condped.report(conditional()), folded=True)
    assert "#" not in page.url
    page.locator("#slider").fill("15")
    quantile = page.evaluate("JSON.parse(document.getElementById('data').textContent).steps[15]")
    fragment(page, f"#q={quantile}")
    page.locator("label[for=method-calibrated]").click()
    page.locator("#history > summary").click()
    page.locator("#bar-rows a[title=rate]").click()
    fragment(page, f"#q={quantile}&method=calibrated&open=parameters,history&card=rate")
    kept = page.url
    page.goto("about:blank")
    page.goto(kept)
    assert page.locator("#slider").input_value() == "15"
    assert page.locator("#method-calibrated").is_checked()
    assert page.locator("details.fold[open]").count() == 2
    assert page.locator(".card[open] .card-name").inner_text() == "rate"
    expect(page.locator(".card[open] svg").first).to_be_in_viewport()
    assert page.evaluate("history.length") <= 4  # no step back for each move of the slider


def test_back_and_forward_restore_the_state(opened: Opener) -> None:
    """Another fragment is another state, whatever was open before."""
    page = opened(condped.report(conditional()), folded=True)
    plain = page.url
    page.evaluate("location.hash = 'q=0.5&open=history'")
    expect(page.locator("#history")).to_have_attribute("open", "")
    expect(page.locator("h1")).to_contain_text("best 50")
    page.evaluate("location.hash = 'open=sweep&card=idle'")
    expect(page.locator("#sweep")).to_have_attribute("open", "")
    assert page.locator("#history[open]").count() == 0
    expect(page.locator(".card[open] .card-name")).to_have_text("idle")
    page.go_back()
    expect(page.locator("#history")).to_have_attribute("open", "")
    assert page.locator(".card[open]").count() == 0
    page.go_back()
    assert page.url == plain
    expect(page.locator("h1")).to_contain_text("best 10")
    assert page.locator("details.fold[open]").count() == 0


def test_a_filter_and_hidden_cards_are_kept(opened: Opener) -> None:
    """A card that is not among the first ones is found; nonsense in an address does nothing."""
    page = opened(condped.report(wide()), folded=True)
    page.locator("#filter").fill("p05")
    fragment(page, "#filter=p05")
    url = page.url.split("#")[0]
    page.goto("about:blank")
    page.goto(f"{url}#card=p049")
    expect(page.locator(".card[open] .card-name")).to_have_text("p049")
    page.goto("about:blank")
    page.goto(f"{url}#q=x&method=guess&open=nothing,main&card=%00&all=2&=")
    expect(page.locator("h1")).to_contain_text("best 10")
    page.goto("about:blank")
    page.goto(f"{url}#history")
    expect(page.locator("#history")).to_have_attribute("open", "")
