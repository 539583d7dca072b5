"""The tools for agents: calls by the protocol's own client, and requests as bytes on a socket."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

from condped.live.access import App
from condped.live.terms import terms_of
from fuzz import mutate
from fuzz.door import RefusedError
from fuzz.doors.server import Server
from fuzz.seeds import seed

_STUDIES = ("trials.csv", "trials", "study", "a", "/etc/passwd", "../trials.csv", "sqlite:///x.db")
_NAMES = ("study", "studies", "before", "after", "where", "objective", "target_quantile", "method",
          "pruned", "failed", "looks", "target", "parameter", "page", "cutoff", "x")  # fmt: skip
_METHODS = ("initialize", "tools/list", "tools/call", "ping", "resources/list", "prompts/get",
            "x", "",
            "notifications/cancelled", "server/discover", "completion/complete",
            "logging/setLevel")  # fmt: skip
_GOOD: dict[str, tuple[Any, ...]] = {
    "where": ("lr > 0.2", "lr >", "lr > 5"), "objective": ("value", "x"), "target_quantile": (0.1,
    0.5, 0, 2),
    "method": ("paper",), "pruned": ("keep",), "failed": ("worst",), "looks": ("single",
    "repeated"),
    "target": ("failed",), "parameter": ("lr", "p9"), "page": (True,), "cutoff": ("common",),
}  # fmt: skip


class Agents(Server):
    """``condped mcp``, in memory and over HTTP."""

    name = "agents"
    title = "Tools for agents (MCP)"
    weight = 0.7
    oracle = "the schemas that the tools declare"
    batch = 400
    imports = ("mcp", "condped.live.agents.desk", "condped.live.agents.run")
    methods = ("POST", "POST", "POST", "GET", "DELETE", "PUT")
    paths = ("/mcp", "/mcp", "/mcp", "/mcp", "/", "/mcp/", "/mcp?x=1", "/mcp/%2e%2e")

    def prepare(self) -> None:
        import anyio.from_thread  # noqa: PLC0415  (imported by workers only)
        from mcp import Client  # noqa: PLC0415

        from condped.live.agents.desk import TOOLS, Desk  # noqa: PLC0415
        from condped.live.agents.server import make_server  # noqa: PLC0415

        Path("runs.log").write_bytes(seed("optuna")["journal.log"])
        self.tools = [tool.name for tool in TOOLS]
        self.fields = {tool.name: list(tool.arguments.model_fields) for tool in TOOLS}
        self.desk = Desk(["runs.log"])
        self.stack = ExitStack()
        self.portal = self.stack.enter_context(anyio.from_thread.start_blocking_portal())
        self.client = self.stack.enter_context(
            self.portal.wrap_async_context_manager(Client(make_server(self.desk)))
        )
        found = self.portal.call(self.client.call_tool, "list_studies", {})
        self.studies = [one["study"] for one in found.structured_content["studies"]]
        super().prepare()

    def app(self) -> App:
        from condped.live.agents.run import http_app  # noqa: PLC0415  (imported by workers only)

        return http_app(self.desk, terms_of("127.0.0.1"))

    def make(self, rng: Random) -> tuple[str, bytes]:
        if rng.random() < 0.4:
            return super().make(rng)
        tool = rng.choice(self.tools) if rng.random() < 0.97 else rng.choice(mutate.TEXTS)
        arguments: dict[str, Any] = {}
        if rng.random() < 0.9:
            for name in self.fields.get(tool, ()):
                if name in ("study", "before", "after"):
                    arguments[name] = rng.choice(self.studies)
        for _ in range(rng.choice((0, 1, 1, 2))):
            name = rng.choice(
                (*self.fields.get(tool, ()), *_GOOD) if rng.random() < 0.8 else _NAMES
            )
            if name in _GOOD and rng.random() < 0.6:
                arguments[name] = rng.choice(_GOOD[name])
            else:
                arguments[name] = rng.choice(_STUDIES) if rng.random() < 0.3 else mutate.value(rng)
        return "call", mutate.written([tool, arguments]).encode()

    def body(self, rng: Random) -> bytes:
        message: Any = {
            "jsonrpc": "2.0", "id": rng.choice((1, "a", None, 2**70)),
            "method": rng.choice(_METHODS),
            "params": {"name": rng.choice(self.tools), "arguments": {"study": self.studies[0]}},
        }  # fmt: skip
        if rng.random() < 0.7:
            message = mutate.changed_data(rng, message)
        if rng.random() < 0.05:
            return mutate.nested(rng).encode()
        return mutate.written(message).encode()

    def ask(self, what: str, data: bytes) -> Any:
        if what != "call":
            return super().ask(what, data)
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415  (imported by workers only)

        try:
            tool, arguments = json.loads(data)
            json.dumps([tool, arguments], ensure_ascii=False).encode()
        except (ValueError, RecursionError):  # no client could send it
            return None
        try:
            found = self.portal.call(self.client.call_tool, tool, arguments)
        except MCPError as error:
            if "Internal" in str(error):
                raise
            raise RefusedError(str(error)) from error
        text = " ".join(one.text for one in found.content if hasattr(one, "text"))
        if "Internal error" in text:
            raise AssertionError(f"{tool} | {text[:300]}")
        if found.is_error:
            raise RefusedError(text)
        return found.structured_content
