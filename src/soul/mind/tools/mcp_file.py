"""The file that names MCP servers, in the form that other MCP clients read, too.

    {"mcpServers": {"notes": {"command": "notes-server", "args": ["--here"], "env": {"A": "${A}"}},
                    "house": {"url": "http://127.0.0.1:8123/mcp", "headers": {"...": "${TOKEN}"}}}}

`${NAME}` is filled in from the environment, so that no secret stands in the file.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from soul.core.organ import StartRefused
from soul.store.pages import decoded
from soul.store.regular import read_regular


class BadServers(StartRefused):
    """The file of servers cannot be used, and why."""


class McpServer(BaseModel):
    """How to reach a server."""

    model_config = ConfigDict(extra='ignore', defer_build=True)
    disabled: bool = False
    enabled: bool = True
    command: str = ''
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ''
    headers: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode='after')
    def _one_way(self) -> McpServer:
        if self.off:
            return self
        if bool(self.command) == bool(self.url):
            raise ValueError('give command or url')
        return self

    @property
    def off(self) -> bool:
        """Whether it is there only for another time."""
        return self.disabled or not self.enabled


class _File(BaseModel):
    model_config = ConfigDict(extra='ignore', defer_build=True)
    mcpServers: dict[str, McpServer]  # noqa: N815  # the name others use


def read(path: str) -> dict[str, McpServer]:
    """Read the file of servers; those that are switched off are left out.

    Raises
    ------
    BadServers
        Naming the file and what is wrong in it.
    """
    try:
        # editors on Windows begin a file with a mark of the byte order
        plain = json.loads(decoded(read_regular(Path(path).expanduser()))[0])
        servers = _File.model_validate(plain).mcpServers
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            place = '.'.join(str(part) for part in first['loc'])
            raise BadServers(f'{path}: {place}: {first["msg"]}') from None
        raise BadServers(f'{path}: {error}') from None
    return {name: _filled(server) for name, server in servers.items() if not server.off}


def _filled(server: McpServer) -> McpServer:
    def fill(text: str) -> str:
        return re.sub(r'\$\{(\w+)\}', lambda found: os.environ.get(found[1], ''), text)

    return McpServer(
        command=fill(server.command),
        args=[fill(argument) for argument in server.args],
        env={name: fill(value) for name, value in server.env.items()},
        url=fill(server.url),
        headers={name: fill(value) for name, value in server.headers.items()},
    )
