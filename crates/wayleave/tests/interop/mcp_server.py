"""A small MCP server on one of the public Python libraries, which writes down what it is asked.

Usage: mcp_server.py FORM NAME ADDRESS PORT LOG [CERTIFICATE KEY]

FORM is `sdk`, `sdk-sse`, `sdk-oauth` (the MCP SDK, of either line) or `fastmcp`. It is reached by NAME at
ADDRESS. Each request becomes a line of LOG: the HTTP method, the path, and the JSON-RPC method of its body. With a
certificate it speaks TLS.
"""
import json
import sys

import uvicorn

FORM, NAME, ADDRESS, PORT, LOG = sys.argv[1:6]
PORT = int(PORT)
CERTIFICATE, KEY = (sys.argv[6:8] + [None, None])[:2]
BASE = "%s://%s:%d" % ("https" if CERTIFICATE else "http", NAME, PORT)
INSTRUCTIONS = "Arithmetic for tests."


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def describe_day(day: str) -> str:
    """Says what is known about a day."""
    return "Nothing is known about " + day + "."


def summary(topic: str) -> str:
    """Asks for a summary of a topic."""
    return "Please summarise " + topic + "."


def sdk_server():
    """The same server on either line of the SDK; what its HTTP application wants is given back too."""
    from mcp.server.transport_security import TransportSecuritySettings

    guard = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=[NAME + ":*", NAME], allowed_origins=[BASE]
    )
    more = oauth() if FORM == "sdk-oauth" else {}
    try:
        from mcp.server import MCPServer
    except ImportError:
        from mcp.server.fastmcp import FastMCP

        return FastMCP("peer", instructions=INSTRUCTIONS, transport_security=guard, **more), {}
    return MCPServer("peer", instructions=INSTRUCTIONS, **more), {"transport_security": guard}


def oauth():
    """A verifier that knows no token, so everybody is refused and told where tokens are issued."""
    from mcp.server.auth.settings import AuthSettings

    class Verifier:
        async def verify_token(self, token):
            return None

    settings = AuthSettings(
        issuer_url="https://issuer.lab/",
        resource_server_url=BASE + "/mcp",
        required_scopes=["numbers:read"],
    )
    return {"auth": settings, "token_verifier": Verifier()}


def application():
    if FORM == "fastmcp":
        from fastmcp import FastMCP

        server = FastMCP("peer", instructions=INSTRUCTIONS)
        build = lambda: server.http_app(path="/mcp")  # noqa: E731
    else:
        server, wanted = sdk_server()
        method = server.sse_app if FORM == "sdk-sse" else server.streamable_http_app
        build = lambda: method(**wanted)  # noqa: E731
    for tool in (add, describe_day):
        server.tool()(tool)
    server.prompt()(summary)
    server.resource("numbers://one")(one)
    return build()


def one() -> str:
    """The number one."""
    return "1"


class Recorder:
    """Hands every request through and writes down what it asks for."""

    def __init__(self, inner):
        self.inner = inner

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.inner(scope, receive, send)
        # Read first, so that a request that is refused unread is written down in full too.
        body, more = b"", True
        while more:
            event = await receive()
            body += event.get("body", b"")
            more = event["type"] == "http.request" and event.get("more_body", False)
        write(scope, body)
        given = False

        async def again():
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.inner(scope, again, send)


def write(scope, body):
    try:
        asked = json.loads(body).get("method", "?") if body else "-"
    except (ValueError, AttributeError):
        asked = "?"
    with open(LOG, "a", encoding="utf-8") as log:
        log.write("%s %s %s\n" % (scope["method"], scope["path"], asked))


if __name__ == "__main__":
    secure = {"ssl_certfile": CERTIFICATE, "ssl_keyfile": KEY} if CERTIFICATE else {}
    # A stream that is still open must not keep the server from ending.
    uvicorn.run(
        Recorder(application()), host=ADDRESS, port=PORT, log_level="warning", timeout_graceful_shutdown=1, **secure
    )
