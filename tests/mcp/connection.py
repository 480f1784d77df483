"""Makes the official Python client speak each revision of the protocol.

`Client(mode=…)` picks the era: "legacy" is the initialize handshake, always at the newest handshake revision; "auto"
asks `server/discover` first and falls back to the handshake; a revision such as "2026-07-28" is taken as given, so
that the first message is already the call. An older handshake revision is offered over the client's own session.
"""

from contextlib import asynccontextmanager

import mcp_types as types
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

CALL_LIMIT_S = 20

OLDER_HANDSHAKE = "2025-06-18"
HANDSHAKE = LATEST_HANDSHAKE_VERSION
STATELESS = LATEST_MODERN_VERSION
ERAS = (OLDER_HANDSHAKE, HANDSHAKE, STATELESS)


def is_handshake(version):
    return version in HANDSHAKE_PROTOCOL_VERSIONS


class Connection:
    """The wiring of one session: what the client sent, and what arrived that is not protocol."""

    def __init__(self, workspace, arguments, errlog):
        self.parameters = StdioServerParameters(
            command=workspace.shim,
            args=arguments,
            env=workspace.environment(),
            cwd=workspace.project,
        )
        self.errlog = errlog
        self.sent = []
        self.noise = []
        self._on_sent = None

    @asynccontextmanager
    async def open(self, version, discover=True):
        if version == OLDER_HANDSHAKE:
            async with self._transport() as (read, write):
                session = ClientSession(
                    read, write, read_timeout_seconds=CALL_LIMIT_S, message_handler=self._keep_noise
                )
                async with session:
                    await offer(session, version)
                    yield session
            return
        mode = "legacy" if is_handshake(version) else "auto" if discover else version
        client = Client(
            self._transport(), mode=mode, read_timeout_seconds=CALL_LIMIT_S, message_handler=self._keep_noise
        )
        async with client:
            yield client.session

    def on_sent(self, method, action):
        """Calls `action` as soon as the next message of this method is on its way."""
        self._on_sent = (method, action)

    @asynccontextmanager
    async def _transport(self):
        async with stdio_client(self.parameters, self.errlog) as (read, write):
            yield read, RecordingStream(write, self._record)

    def _record(self, method):
        self.sent.append(method)
        if self._on_sent and self._on_sent[0] == method:
            action, self._on_sent = self._on_sent[1], None
            action()

    async def _keep_noise(self, message):
        # The client hands over a line of stdout that it cannot parse as an exception.
        if isinstance(message, Exception):
            self.noise.append(str(message))


class RecordingStream:
    def __init__(self, inner, record):
        self.inner = inner
        self.record = record

    async def send(self, item):
        await self.inner.send(item)
        self.record(getattr(item.message, "method", None))

    async def aclose(self):
        await self.inner.aclose()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.aclose()


async def offer(session, version):
    request = types.InitializeRequest(
        params=types.InitializeRequestParams(
            protocol_version=version,
            capabilities=types.ClientCapabilities(),
            client_info=types.Implementation(name="claudevil-check", version="1"),
        )
    )
    session.adopt(await session.send_request(request, types.InitializeResult))
    await session.send_notification(types.InitializedNotification())
