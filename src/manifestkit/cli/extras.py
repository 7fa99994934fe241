"""Parts that are installed on demand."""

from __future__ import annotations

from importlib.util import find_spec

from manifestkit.model.errors import ConfigurationError

_MODULES = {
    "dask": ("distributed", "pyarrow"),
    "fleet": ("pyarrow",),
    "lsp": ("pygls",),
    "mcp": ("mcp",),
    "publish": ("httpx2", "platformdirs"),
    "sandbox": ("aiohttp",),
    "spark": ("pyspark", "pyarrow"),
    "watch": ("watchfiles",),
}


def need(extra: str, by: str = "this command") -> None:
    """Refuse to go on without an extra, and say how to install it."""
    if any(find_spec(module) is None for module in _MODULES[extra]):
        raise ConfigurationError(
            f"{by} needs the extra `{extra}`: python -m pip install 'manifestkit[{extra}]', or "
            f"'.[{extra}]' in a clone"
        )
