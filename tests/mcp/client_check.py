"""Checks claudevil-mcp with the official Python client, in each era of the protocol.

Usage: client_check.py DIRECTORY_OF_THE_BINARIES — with the packages of requirements.txt; `run` provides them.
"""

import sys

sys.dont_write_bytecode = True

import json
import logging
import tempfile
import time

import anyio
import mcp_types as types
from mcp import MCPError

from connection import ERAS, STATELESS, Connection, is_handshake
from raw_session import RawSession, as_protocol
from report import Report, describe
from workspace import (
    BINARY_PATH,
    CORE_TOOLS,
    EXTRA_TOOLS,
    GREETING,
    GREETING_PATH,
    IGNORED_PATH,
    LISTED_PATHS,
    MAIN_RS,
    Workspace,
)

EXIT_LIMIT_S = 1
SESSION_LIMIT_S = 180
FIRST_INDEX_LIMIT_S = 30
INSTRUCTIONS_LIMIT_BYTES = 2048

UNUSED_REQUEST_ID = 987_654

# A call of every tool that needs no preparation, and whose answer has data of many kinds.
TYPED_CALLS = (
    ("explore", {"question": "the marker of main"}),
    ("search", {"query": "marker"}),
    ("search", {"query": "the marker of", "mode": "literal"}),
    ("find_symbol", {"name": "main"}),
    ("find_similar", {"path": "src/main.rs", "line": 1}),
    ("map_code", {}),
    ("list_files", {}),
    ("read_file", {"path": "src/main.rs"}),
    ("read_file", {"symbol": "main"}),
    ("find_references", {"symbol": "main"}),
    ("find_callers", {"symbol": "main"}),
    ("find_callees", {"symbol": "main"}),
    ("get_call_graph", {"symbol": "main"}),
    ("call_path", {"from": "main", "to": "main"}),
    ("find_implementations", {"symbol": "main"}),
    ("deep_dive", {"symbol": "main"}),
    ("impact_analysis", {"symbol": "main"}),
    ("get_dependencies", {"path": "src/main.rs"}),
    ("analyze_complexity", {}),
    ("rename_symbol", {"symbol": "main", "new_name": "start", "dry_run": True}),
    ("index_status", {"detailed": True}),
    ("reindex", {}),
    ("manage_roots", {"action": "list"}),
    ("recall", {}),
    ("plan", {"action": "list"}),
    ("find_definition", {"path": "src/main.rs", "line": 1, "column": 4}),
    ("manage_precise", {"action": "list"}),
    ("edit_symbol", {"symbol": "main", "action": "replace", "text": "fn main() {}", "dry_run": True}),
    ("search_structure", {"pattern": "println!($$$A)", "language": "rust"}),
    ("rewrite", {"pattern": "println!($$$A)", "replacement": "print!($$$A)", "language": "rust", "dry_run": True}),
    ("find_unused", {}),
    ("find_clones", {}),
)


def main(binaries):
    # What the client logs about a server's mistakes reaches the checks as values.
    logging.disable(logging.CRITICAL)
    report = Report()
    for version in ERAS:
        with Workspace(binaries, report, f"python {version}") as workspace:
            # Before anything else, because the daemon that this session starts is the one that may keep its pipes.
            check_raw_session(report, workspace, version)
            anyio.run(check_sessions, report, workspace, version)
    return report.exit_code()


def check_raw_session(report, workspace, version):
    label = f"python {version}"
    with report.check(f"{label}: the process ends within {EXIT_LIMIT_S} s of stdin, with only protocol on stdout"):
        command = [workspace.shim, "--toolsets", "all"]
        with RawSession(command, workspace.project, workspace.environment()) as session:
            meta = open_by_hand(session, version)
            check_caching(session.request(2, "tools/list", {**meta}), version)
            session.request(3, "tools/call", {"name": "list_files", "arguments": {}, **meta})
            session.close(EXIT_LIMIT_S)
            for line in session.lines:
                as_protocol(line)
            code = session.process.returncode
            assert code == 0, f"exit code {code}; stderr: {session.stderr_tail()}"
    with report.check(f"{label}: the process ends within {EXIT_LIMIT_S} s when stdin closes without a message"):
        with RawSession([workspace.shim], workspace.project, workspace.environment()) as session:
            session.close(EXIT_LIMIT_S)
            assert not session.lines, f"on stdout: {session.lines}"


def open_by_hand(session, version):
    """Opens the session as its era does; gives what every later request of that era carries."""
    client = {"name": "claudevil-check", "version": "1"}
    if is_handshake(version):
        result = session.request(
            1, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        )
        assert result["protocolVersion"] == version, f"offered {version}, got {result['protocolVersion']}"
        session.send({"method": "notifications/initialized"})
        return {}
    meta = {
        "_meta": {
            types.PROTOCOL_VERSION_META_KEY: version,
            types.CLIENT_INFO_META_KEY: client,
            types.CLIENT_CAPABILITIES_META_KEY: {},
        }
    }
    result = session.request(1, "server/discover", meta)
    assert version in result["supportedVersions"], f"{version} is not among {result['supportedVersions']}"
    assert result["resultType"] == "complete", f"result type {result.get('resultType')!r}"
    return meta


def check_caching(listed, version):
    """A list says how long it may be kept, and in the stateless era what kind of result it is."""
    assert listed["ttlMs"] > 0, f"lists never change, but may be kept for {listed['ttlMs']} ms"
    if is_handshake(version):
        assert "resultType" not in listed, f"result type {listed['resultType']!r} is unknown to this era"
    else:
        assert listed["resultType"] == "complete", f"result type {listed.get('resultType')!r}"
        assert listed["cacheScope"] == "private", f"cache scope {listed.get('cacheScope')!r}"


async def check_sessions(report, workspace, version):
    label = f"python {version}"
    await in_session(report, workspace, version, label, [], check_default)
    await in_session(report, workspace, version, f"{label} --toolsets all", ["--toolsets", "all"], check_all_toolsets)
    options = ["--toolsets", "all", "--structured", "--resource-links"]
    await in_session(report, workspace, version, f"{label} --structured", options, check_structured)
    if version == STATELESS:
        await in_session(report, workspace, version, f"{label} undiscovered", [], check_undiscovered, discover=False)


async def in_session(report, workspace, version, label, arguments, checks, discover=True):
    connected = False
    with tempfile.TemporaryFile() as errlog:
        connection = Connection(workspace, arguments, errlog)
        try:
            with anyio.fail_after(SESSION_LIMIT_S):
                async with connection.open(version, discover) as session:
                    connected = True
                    with report.check(f"{label}: connects in its era"):
                        check_era(session, version, discover)
                    await checks(report, label, connection, session)
                    closing = time.monotonic()
                took = time.monotonic() - closing
        except Exception as error:
            errlog.seek(0)
            tail = errlog.read()[-400:].decode(errors="replace")
            step = "the session" if connected else "connects in its era"
            report.failed(f"{label}: {step}", f"{describe(error)}; stderr: {tail or 'empty'}")
            return
    with report.check(f"{label}: closing the client ends the server within {EXIT_LIMIT_S} s"):
        # The client only waits here: it closes stdin and would terminate the server two seconds later.
        assert took < EXIT_LIMIT_S, f"took {took:.2f} s"
    with report.check(f"{label}: nothing but protocol on stdout"):
        assert not connection.noise, f"{len(connection.noise)} other lines: {connection.noise[:3]}"


def check_era(session, version, discover):
    assert session.protocol_version == version, f"negotiated {session.protocol_version}"
    if is_handshake(version):
        assert session.initialize_result is not None, "no handshake took place"
        assert session.server_info.name and session.server_info.version, f"server info: {session.server_info}"
    elif discover:
        assert session.discover_result is not None, "the server was not discovered"


async def check_default(report, label, _connection, session):
    with report.check(f"{label}: instructions"):
        text = session.instructions or ""
        size = len(text.encode())
        assert 0 < size < INSTRUCTIONS_LIMIT_BYTES, f"{size} bytes"

    tools = {}
    with report.check(f"{label}: tools/list"):
        tools.update(await list_tools(session))
        missing = CORE_TOOLS - tools.keys()
        assert not missing, f"missing: {sorted(missing)}"
        surplus = EXTRA_TOOLS & tools.keys()
        assert not surplus, f"not of the default toolset: {sorted(surplus)}"
    check_definitions(report, label, tools)
    with report.check(f"{label}: tools/list is the same each time, and says what Claude Code keeps loaded"):
        again = await list_tools(session)
        assert list(again.items()) == list(tools.items()), f"another order: {list(again)}"
        loaded = {name for name, tool in tools.items() if (tool.meta or {}).get("anthropic/alwaysLoad") is True}
        assert loaded == {"explore", "search", "find_references"}, f"always loaded: {sorted(loaded)}"
    with report.check(f"{label}: a tool that is not offered is named with those that are"):
        await refusal(session, "list_files", {}, "invalid_argument")


async def check_calls(report, label, connection, session, tools):
    await check_list_files(report, label, session)
    await check_read_file(report, label, session, tools)

    with report.check(f"{label}: index_status {{}}"):
        assert (await answer(session, "index_status", {})).strip(), "the text is empty"

    with report.check(f"{label}: an unknown tool is a protocol error"):
        try:
            result = await session.call_tool("no_such_tool", {})
        except MCPError as error:
            assert error.code == types.INVALID_PARAMS, f"error code {error.code}: {error}"
        else:
            raise AssertionError(f"answered with {result}")

    await check_progress(report, label, session)
    await check_cancellation(report, label, connection, session)


async def check_list_files(report, label, session):
    with report.check(f"{label}: the first index lists the project's files"):
        await until_indexed(session)

    for name, arguments in (("list_files {}", {}), ("list_files without arguments", None)):
        with report.check(f"{label}: {name}"):
            text = await answer(session, "list_files", arguments)
            missing = [path for path in LISTED_PATHS if path not in text]
            assert not missing, f"missing: {missing} in {text!r}"
            assert IGNORED_PATH not in text, f"{IGNORED_PATH} is ignored, but listed: {text!r}"
            assert ".git/" not in text, f"the repository's own files are listed: {text!r}"

    with report.check(f'{label}: list_files {{"format":"json"}}'):
        listing = json.loads(await answer(session, "list_files", {"format": "json"}))
        assert isinstance(listing, dict), f"not an object: {listing!r}"
        assert isinstance(listing.get("root"), str) and listing["root"], f"root: {listing.get('root')!r}"
        assert listing.get("total") == len(listing["files"]), f"total: {listing.get('total')!r} in {listing}"
        for file in listing["files"]:
            # What is not text has neither language nor lines, and absent values are left out.
            expected = {"path", "size"} if file["path"] == BINARY_PATH else {"path", "language", "lines", "size"}
            lacking = expected - file.keys()
            assert not lacking, f"{file} lacks {sorted(lacking)}"
        files = {file["path"]: file for file in listing["files"]}
        assert IGNORED_PATH not in files, f"{IGNORED_PATH} is ignored, but listed"
        assert set(LISTED_PATHS) <= files.keys(), f"listed: {sorted(files)}"
        main_rs = files["src/main.rs"]
        assert main_rs["lines"] == MAIN_RS.count("\n"), f"lines: {main_rs}"
        assert main_rs["size"] == len(MAIN_RS), f"size: {main_rs}"
        assert str(main_rs["language"]).lower() == "rust", f"language: {main_rs}"


async def check_read_file(report, label, session, tools):
    with report.check(f"{label}: read_file of a source file"):
        text = await answer(session, "read_file", {"path": "src/main.rs"})
        for line in MAIN_RS.splitlines():
            assert line in text, f"{line!r} is not in {text!r}"
    with report.check(f"{label}: read_file keeps umlauts and emoji"):
        text = await answer(session, "read_file", {"path": GREETING_PATH})
        assert GREETING.strip() in text, f"got {text!r}"

    for what, arguments, code in (
        ("a missing path", {"path": "src/missing.rs"}, "file_not_found"),
        ("a path that leaves the root", {"path": "../../etc/passwd"}, "path_outside_root"),
        ("an absolute path outside the root", {"path": "/etc/passwd"}, "path_outside_root"),
        ("a binary file", {"path": BINARY_PATH}, "binary_file"),
        ("an argument of the wrong type", {"path": 5}, "invalid_argument"),
        ("a missing argument", {}, "invalid_argument"),
    ):
        with report.check(f"{label}: read_file with {what} is {code}"):
            await refusal(session, "read_file", arguments, code)

    with report.check(f"{label}: read_file with an unknown argument names the valid ones"):
        arguments = {"path": "src/main.rs", "no_such_argument": True}
        text = await refusal(session, "read_file", arguments, "invalid_argument")
        valid = tools["read_file"].input_schema["properties"]
        unnamed = [name for name in valid if name not in text]
        assert not unnamed, f"not named: {unnamed} in {text!r}"


async def check_progress(report, label, session):
    with report.check(f"{label}: a call with a progress token"):
        seen = []

        async def on_progress(progress, _total, _message):
            seen.append(progress)

        await answer(session, "list_files", {}, progress_callback=on_progress)
        assert seen == sorted(set(seen)), f"progress has to increase: {seen}"


async def check_cancellation(report, label, connection, session):
    with report.check(f"{label}: usable after calls were cancelled"):
        for _ in range(3):
            await cancelled_call(connection, session)
        cancels = connection.sent.count("notifications/cancelled")
        assert cancels == 3, f"the client sent {cancels} cancellations instead of 3"
        assert (await answer(session, "list_files", {})).strip(), "the text is empty"
    with report.check(f"{label}: usable after a cancellation of no call"):
        await session.send_notification(
            types.CancelledNotification(params=types.CancelledNotificationParams(request_id=UNUSED_REQUEST_ID))
        )
        assert (await answer(session, "index_status", {})).strip(), "the text is empty"


async def cancelled_call(connection, session):
    on_its_way = anyio.Event()
    connection.on_sent("tools/call", on_its_way.set)
    async with anyio.create_task_group() as calls:
        calls.start_soon(session.call_tool, "list_files", {})
        await on_its_way.wait()
        calls.cancel_scope.cancel()


async def check_all_toolsets(report, label, connection, session):
    tools = {}
    with report.check(f"{label}: tools/list"):
        tools.update(await list_tools(session))
        missing = (CORE_TOOLS | EXTRA_TOOLS) - tools.keys()
        assert not missing, f"missing: {sorted(missing)}"
    check_definitions(report, label, tools)
    with report.check(f"{label}: manage_roots list"):
        assert (await answer(session, "manage_roots", {"action": "list"})).strip(), "the text is empty"
    await check_calls(report, label, connection, session, tools)


async def check_structured(report, label, _connection, session):
    with report.check(f"{label}: every tool has the schema of its data"):
        tools = await list_tools(session)
        without = [name for name, tool in tools.items() if not (tool.output_schema or {}).get("properties")]
        assert not without, f"no schema: {without}"
    for name, arguments in TYPED_CALLS:
        with report.check(f"{label}: {name} {json.dumps(arguments)} has data that fits its schema"):
            # The client itself refuses data that does not fit.
            result = await session.call_tool(name, arguments)
            text = result.content[0].text
            assert not result.is_error and text.strip(), f"got {result}"
            typed = await session.call_tool(name, {**arguments, "format": "json"})
            shown = json.loads(typed.content[0].text)
            # Two calls of reindex are two jobs, each as far as it is.
            is_same = name == "reindex" or result.structured_content.keys() == shown.keys()
            assert is_same, f"data has {sorted(result.structured_content)}"
    with report.check(f"{label}: an error has no data"):
        result = await session.call_tool("read_file", {"path": "no/such/file"})
        assert result.is_error and result.structured_content is None, f"got {result}"
    with report.check(f"{label}: the files of an answer are links, which can be read"):
        result = await session.call_tool("list_files", {})
        links = {item.name: str(item.uri) for item in result.content if item.type == "resource_link"}
        assert set(LISTED_PATHS) <= links.keys(), f"linked: {links}"
        assert links["src/main.rs"].startswith("file:///"), f"linked: {links}"
        for path, text in (("src/main.rs", MAIN_RS), (GREETING_PATH, GREETING)):
            read = await session.read_resource(links[path])
            assert read.contents[0].text == text, f"{path}: {read}"
    with report.check(f"{label}: a file outside the project is no resource"):
        try:
            read = await session.read_resource("file:///etc/passwd")
        except MCPError as error:
            assert "path_outside_root" in str(error), f"{error}"
        else:
            raise AssertionError(f"read {read}")


async def check_undiscovered(report, label, connection, session):
    with report.check(f"{label}: a call as the first message"):
        text = await answer(session, "read_file", {"path": "src/main.rs"})
        assert MAIN_RS.splitlines()[1] in text, f"got {text!r}"
        assert connection.sent[0] == "tools/call", f"sent: {connection.sent}"


def check_definitions(report, label, tools):
    for name, tool in sorted(tools.items()):
        with report.check(f"{label}: definition of {name}"):
            assert tool.title, "no title"
            assert tool.description, "no description"
            assert tool.annotations is not None, "no annotations"
            assert tool.annotations.read_only_hint is not None, "no readOnlyHint"
            schema = tool.input_schema
            assert schema.get("type") == "object", f"input schema of type {schema.get('type')!r}"
            assert tool.output_schema is None, "a schema that nobody asked for"
            # Several models' interfaces refuse a whole tool list for one of these.
            combined = {"anyOf", "oneOf", "allOf"} & schema.keys()
            assert not combined, f"{sorted(combined)} at the root of the input schema"


async def list_tools(session):
    tools, cursor = [], None
    while True:
        page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    names = [tool.name for tool in tools]
    assert len(names) == len(set(names)), f"listed twice: {names}"
    return {tool.name: tool for tool in tools}


async def until_indexed(session):
    """The first answers may come while the project is being indexed; later checks need the whole of it."""
    with anyio.move_on_after(FIRST_INDEX_LIMIT_S):
        while True:
            text = await answer(session, "list_files", {})
            if all(path in text for path in LISTED_PATHS):
                return
            await anyio.sleep(0.1)
    raise AssertionError(f"not all of {LISTED_PATHS} after {FIRST_INDEX_LIMIT_S} s: {text!r}")


async def answer(session, tool, arguments, **options):
    result = await session.call_tool(tool, arguments, **options)
    text = text_of(result)
    assert not result.is_error, f"isError: {text}"
    assert result.structured_content is None, "data that nobody asked for"
    return text


async def refusal(session, tool, arguments, code):
    """An error that an agent can correct is a result, because a protocol error never reaches the model."""
    result = await session.call_tool(tool, arguments)
    text = text_of(result)
    assert result.is_error, f"not an error: {text!r}"
    assert code in text, f"{code} is not in {text!r}"
    return text


def text_of(result):
    kinds = [item.type for item in result.content]
    assert kinds and set(kinds) == {"text"}, f"content: {kinds}"
    return "".join(item.text for item in result.content)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
