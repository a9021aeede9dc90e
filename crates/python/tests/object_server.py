"""A server of objects that fails as servers and networks do: in front of another one, or with objects of its own."""

from __future__ import annotations

import hashlib
import http.client
import re
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class ObjectServer:
    """A server on a free port. ``fault`` decides about each request for bytes: it gives what goes wrong, or nothing.

    ``503``, ``403`` and ``301`` are answers of S3; ``cut`` ends the connection in the middle of the bytes; an address is one to redirect to.
    """

    def __init__(self, upstream: str | None = None, certificate: Path | None = None) -> None:
        self.upstream = urlsplit(upstream).netloc if upstream else None
        self.objects: dict[str, bytes] = {}
        self.fault: Callable[[int], str | None] = lambda _: None
        self.ranges = True
        self.tags = True
        self.requests: list[tuple[str, str | None]] = []
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._scheme = "https" if certificate else "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()

    def note(self, path: str, span: str | None) -> int:
        """The number of a request, from 1."""
        with self._lock:
            self.requests.append((path, span))
            return len(self.requests)


class _Handler(BaseHTTPRequestHandler):
    owner: ObjectServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        number = self.owner.note(self.path, self.headers.get("Range"))
        fault = self.owner.fault(number)
        if fault in ("503", "403", "301"):
            codes = {"503": "SlowDown", "403": "AccessDenied", "301": "PermanentRedirect"}
            body = f"<Error><Code>{codes[fault]}</Code><Message>So it is</Message></Error>".encode()
            return self._send(int(fault), {"Content-Type": "application/xml"}, body)
        if fault and fault.startswith("http"):
            return self._send(302, {"Location": fault + self.path}, b"")
        status, headers, body = self._forwarded() if self.owner.upstream else self._own()
        self._send(status, headers, body, cut=fault == "cut" and len(body) > 100)

    def _send(self, status: int, headers: dict[str, str], body: bytes, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.command != "HEAD" or "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = self.close_connection or cut

    def _forwarded(self) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(self.owner.upstream or "", timeout=30)
        connection.request(self.command, self.path, headers=dict(self.headers))
        answer = connection.getresponse()
        body = answer.read()
        kept = ("etag", "last-modified", "content-range", "content-type")
        headers = {name: value for name, value in answer.getheaders() if name.lower() in kept}
        if self.command == "HEAD":
            headers["Content-Length"] = answer.getheader("Content-Length") or "0"
        connection.close()
        return answer.status, headers, body

    def _own(self) -> tuple[int, dict[str, str], bytes]:
        content = self.owner.objects.get(unquote(urlsplit(self.path).path))
        if content is None:
            return 404, {}, b""
        headers = {}
        if self.owner.tags:
            tag = hashlib.md5(content).hexdigest()
            headers = {"ETag": f'"{tag}"', "Last-Modified": "Wed, 25 Nov 2026 10:00:00 GMT"}
        if self.headers.get("If-Match", headers.get("ETag")) != headers.get("ETag"):
            return 412, {}, b""
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        if self.command == "HEAD":
            return 200, headers | {"Content-Length": str(len(content))}, b""
        if not span or not self.owner.ranges:
            return 200, headers, content
        first, last = int(span[1]), min(int(span[2]), len(content) - 1)
        if first > last:
            return 416, {}, b""
        return 206, headers | {"Content-Range": f"bytes {first}-{last}/{len(content)}"}, content[first : last + 1]
