"""A real MCP server: over stdio, or over HTTP on a free port (prints its address)."""

import os
import socket
import sys

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer('notes', log_level='ERROR')


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ToolError(why)


@server.tool()
def die() -> str:
    """End the server without an answer."""
    os._exit(1)


@server.tool(name='who.is')
def who() -> str:
    """Say which secret it was given."""
    return os.environ.get('NOTES_SECRET', 'none')


if __name__ == '__main__':
    if 'http' in sys.argv:
        with socket.socket() as free:
            wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 0
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind(('127.0.0.1', wanted))
            port = free.getsockname()[1]
        print(f'http://127.0.0.1:{port}/mcp', flush=True)
        server.run('streamable-http', host='127.0.0.1', port=port)
    else:
        server.run('stdio')
