"""How to add an extra, depending on how condped was installed or started."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def command_for(extra: str, prefix: Path | None = None) -> str:
    """Return the command that adds an extra to the environment at ``prefix``, or to this one.

    Tools are recognised by their traces there: uv and pipx leave a file about what they installed,
    and keep environments for single runs in their caches.
    """
    root = Path(sys.prefix) if prefix is None else prefix
    spec = f"'condped[{extra}]'"  # enough where condped is installed, wherever it came from
    again = f"'condped[{extra}]{_origin(root)}'"  # where it is installed once more
    if (root / "uv-receipt.toml").is_file():
        return f"uv tool install {again}"
    if (root / "pipx_metadata.json").is_file():
        kept = root.parent.name == "venvs"
        return f"pipx install --force {again}" if kept else f"pipx run --spec {again} condped ..."
    if not _made_by_uv(root / "pyvenv.cfg"):
        return f"pip install {spec}"
    if root.parent.name.startswith("archive-"):
        return f"uvx --from {again} condped ..."
    if root.parent.name.startswith("builds-"):
        return f"uv run --with {again} ..."
    return f"uv pip install {spec}"


def _origin(root: Path) -> str:
    """Return `` @ `` and the address that condped was installed from; empty for an index.

    Installers record it (PEP 610): a file, a folder, or a repository and its commit.
    """
    for path in root.glob("lib/python3*/site-packages/condped-*.dist-info/direct_url.json"):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if repository := found.get("vcs_info"):
                return f" @ {repository['vcs']}+{found['url']}@{repository['commit_id']}"
            return f" @ {found['url']}"
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return ""
    return ""


def _made_by_uv(settings: Path) -> bool:
    try:
        lines = settings.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not a virtual environment
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in lines)
