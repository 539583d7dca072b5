"""The options of commands, as declared by the functions that they call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import click

from condped.cli.completion import files, names, readers
from condped.errors import SettingsError
from condped.options import Option, options_of
from condped.safe_text import brief

Command = TypeVar("Command", bound=Callable[..., Any])
# Options with other names here: short ones, and singular if given one value at a time.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "direction": ("-d", "--direction"),
    "space": ("-s", "--space"),
    "parameters": ("-p", "--parameter"),
    "constraints": ("--constraint",),
    "failure_values": ("--failure-value",),
    "groups": ("--group",),
}
# Completions of the values of options.
_COMPLETED = {"space": files, "reader": readers}
_YEAR = 31_536_000  # seconds; a thread cannot wait for arbitrarily long


target_quantile = click.option(
    "-q",
    "--target-quantile",
    type=float,
    default=0.1,
    show_default=True,
    help="γ': the share of trials that counts as good (the target set).",
)

target = click.option(
    "--target",
    metavar="OUTCOME",
    shell_complete=names("failed", "pruned", "nonfinite", "infeasible"),
    help="Explain an outcome instead of good objectives: failed, pruned, nonfinite or infeasible.",
)


class Seconds(click.FloatRange):
    """A number of seconds, at most a year; NaN is in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail."""
        number = super().convert(value, param, ctx)
        if not number <= _YEAR:
            self.fail(f"{value!r} is not a number of seconds up to a year.", param, ctx)
        return number


every = click.option(
    "--every",
    type=Seconds(min=0.1),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to look for new trials; less often if reading takes long.",
)


class CommandWithoutRepeats(click.Command):
    """Rejects a single-value option that is given twice, rather than keep the last value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raise if a single-value option is given twice."""
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
            for one, times in Counter(order).items():
                single = isinstance(one, click.Option) and not (one.multiple or one.is_flag)
                if single and times > 1:
                    raise click.UsageError(
                        f"{max(one.opts, key=len)} takes one value (given {times} times).", ctx
                    )
        return super().parse_args(ctx, args)


def source_options(
    function: Callable[..., Any],
    *arguments: Callable[[Any], Any],
    repeatable: Mapping[str, str] | None = None,
    without: Collection[str] = (),
) -> Callable[[Command], Command]:
    """Add the source, or other arguments, and all options that a function shares with others.

    ``repeatable`` has options that take several values where other commands take one, with their
    help texts. Those in ``without`` are left out.
    """
    several = repeatable or {}
    declared = [
        _click_option(option, several.get(option.name))
        for option in options_of(function)
        if not option.python_only and option.name not in without
    ]
    given = arguments or (click.argument("source", shell_complete=files),)
    return all_of([*given, *declared])


def server_options(*, port: int, token: str) -> Callable[[Command], Command]:
    """Add the address and access options of a server; ``token`` is the help text of its token."""
    return all_of(
        [
            click.option(
                "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
                help="Where to listen; 0.0.0.0: on every address of this machine. If other "
                "machines can connect, a token is required.",
            ),
            click.option(
                "--port", type=click.IntRange(0, 65535), default=port, show_default=True,
                help="The port to listen on; 0: any free port.",
            ),
            click.option(
                "--token", metavar="TEXT", envvar="CONDPED_TOKEN", show_envvar=True, help=token
            ),
            click.option(
                "--allow-host", "allow_hosts", multiple=True, metavar="NAME",
                help="Another host name under which to accept requests, such as a proxy's; "
                "repeatable.",
            ),
        ]
    )  # fmt: skip


def all_of(options: Sequence[Callable[[Any], Any]]) -> Callable[[Command], Command]:
    """Return one decorator for several, the first of which is shown first."""

    def added(command: Command) -> Command:
        return reduce(lambda done, option: option(done), reversed(options), command)

    return added


def _click_option(option: Option, several: str | None) -> Callable[[Command], Command]:
    names = _NAMES.get(option.name, (f"--{option.name.replace('_', '-')}",))
    if option.type is bool:
        return click.option(
            *names, option.name, is_flag=True, default=option.default, help=option.help
        )
    kind, multiple = _kind_of(option.type)
    if several is not None:
        return click.option(
            *names, option.name, type=kind, multiple=True, metavar=option.metavar, help=several
        )
    return click.option(
        *names,
        option.name,
        type=kind,
        multiple=multiple,
        default=None if multiple else option.default,
        show_default=option.default not in (None, ()),
        metavar=option.metavar,
        shell_complete=_COMPLETED.get(option.name),
        help=f"{option.help.removesuffix('.')}; repeatable." if multiple else option.help,
    )


def _kind_of(annotation: Any) -> tuple[Any, bool]:
    """Return the click type for an annotation, and whether it takes several values."""
    union = get_origin(annotation) in (Union, UnionType)
    arms = get_args(annotation) if union else (annotation,)
    if any(get_origin(arm) is Mapping for arm in arms):
        return str, True
    several = [arm for arm in arms if get_origin(arm) in (Sequence, tuple)]
    kind = get_args(several[0])[0] if several else next(a for a in arms if a is not type(None))
    if get_origin(kind) is Literal:
        return click.Choice(list(get_args(kind))), bool(several)
    return (kind if kind in (int, float) else str), bool(several)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options as the Python functions take them."""
    kept = {name: value for name, value in options.items() if value not in (None, ())}
    for name in ("objective", "study"):
        if len(kept.get(name, ())) == 1:
            (kept[name],) = kept[name]
    if "groups" in kept:
        kept["groups"] = dict(map(_group, kept["groups"]))
    return {name: list(v) if isinstance(v, tuple) else v for name, v in kept.items()}


def _group(text: str) -> tuple[str, list[str]]:
    """Return the name and the members of a group."""
    name, mark, members = text.partition("=")
    if not mark:
        raise SettingsError(
            "A group needs a name and members, such as architecture=layers,units (got "
            f"{brief(text)})."
        )
    return name.strip(), [member.strip() for member in members.split(",") if member.strip()]
