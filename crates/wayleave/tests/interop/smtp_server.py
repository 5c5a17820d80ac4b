"""A mail server on loopback (aiosmtpd). Prints one line of JSON with its port, and one for each mail.

    smtp_server.py [--port PORT] [--certificate FILE --key FILE [--implicit]] [--login USER PASSWORD]

With a certificate it takes mails only after STARTTLS, or speaks TLS from the first byte (--implicit).
"""

import argparse
import asyncio
import email
import email.policy
import json
import ssl

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "encrypted": session.ssl is not None or arguments.implicit,
            "login": session.authenticated,
            "headers": message.items(),
            "text": message.get_content(),
        }
        print(json.dumps(mail), flush=True)
        return "250 queued"


def check_login(server, session, envelope, mechanism, given):
    user, password = arguments.login
    right = (given.login, given.password) == (user.encode(), password.encode())
    return AuthResult(success=right)


async def serve():
    tls = None
    if arguments.certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(arguments.certificate, arguments.key)
    starttls = tls if not arguments.implicit else None

    def session():
        return SMTP(
            Handler(),
            hostname="mail.lab",
            tls_context=starttls,
            require_starttls=starttls is not None,
            authenticator=check_login if arguments.login else None,
            auth_required=arguments.login is not None,
            auth_require_tls=False,
        )

    server = await asyncio.get_running_loop().create_server(
        session, "127.0.0.1", arguments.port, ssl=tls if arguments.implicit else None
    )
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await server.serve_forever()


parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--implicit", action="store_true")
parser.add_argument("--login", nargs=2)
arguments = parser.parse_args()
asyncio.run(serve())
