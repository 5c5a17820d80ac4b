"""Asks Wayleave's own MCP server with the MCP SDK, as an agent would.

Usage: mcp_tools_client.py URL CALLS
       mcp_tools_client.py - CALLS COMMAND ARGUMENT...

URL is that of the server; with `-` COMMAND is started and asked over its input and output. CALLS is a JSON list of
[tool, arguments].

Prints a JSON object: the version that was agreed on, the names of the tools, and the results of the calls as they
were understood.
"""
import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

URL, CALLS, COMMAND = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]


def plain(model):
    return model.model_dump(by_alias=True, exclude_none=True, mode="json")


async def ask(session, version):
    listed = await session.list_tools()
    results = [plain(await session.call_tool(tool, arguments)) for tool, arguments in CALLS]
    return {"version": version, "tools": [tool.name for tool in listed.tools], "results": results}


def process():
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(os.environ))


async def earlier_sdk():
    """The earlier line of the SDK: it begins with a handshake."""
    if URL == "-":
        streams = stdio_client(process())
    else:
        from mcp.client.streamable_http import streamable_http_client

        streams = streamable_http_client(URL)
    async with streams as found, ClientSession(found[0], found[1]) as session:
        opened = await session.initialize()
        return await ask(session, opened.protocolVersion)


async def later_sdk(client_class):
    """The later line: it asks without a handshake where the server can."""
    async with client_class(process() if URL == "-" else URL) as client:
        return await ask(client, client.protocol_version)


def main():
    try:
        from mcp import Client
    except ImportError:
        return asyncio.run(earlier_sdk())
    return asyncio.run(later_sdk(Client))


print(json.dumps(main()))
