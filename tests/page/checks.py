"""What people do with a page, and what they see then. Each check gets a browser with its page loaded."""

import json

# Frames of boxes, and the texts in them, in pixels of the window.
BOXES = """[...document.querySelectorAll('.box')].map((box) => {
    const rectangle = (element) => { const { left, top, right, bottom } = element.getBoundingClientRect(); return { left, top, right, bottom }; };
    const texts = [...box.querySelectorAll('.name, .detail, .tag')].map(rectangle);
    return { id: Number(box.dataset.id), name: box.querySelector('.name').textContent, frame: rectangle(box.querySelector('.frame')), texts };
})"""
BODY_COLOURS = "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))"
VIEW = "document.getElementById('picture').getAttribute('viewBox').split(' ').map(Number)"
STATUS = "document.getElementById('status').textContent"
CARD = "document.getElementById('card')"


def shown_without_errors_and_without_a_network(browser):
    assert browser.errors == [], browser.errors
    assert len(browser.addresses) == 1 and browser.addresses[0].startswith("file:"), browser.addresses
    assert browser.run("document.title") == "Parser::parse"


def callers_stand_left_and_callees_right(browser):
    frames = {box["name"]: box["frame"] for box in boxes(browser)}
    asked = frames["Parser::parse"]
    assert frames["main"]["right"] < asked["left"], "main calls it"
    for callee in ("Parser::sum", "Parser::next", "Parser::product"):
        assert frames[callee]["left"] > asked["right"], callee
    middle = browser.run("(({ left, width }) => left + width / 2)(document.getElementById('picture').getBoundingClientRect())")
    assert frames["main"]["left"] < middle, "callers are in view"
    heads = browser.run("[...document.querySelectorAll('.arrow .line')].every((line) => line.getAttribute('marker-end'))")
    assert heads, "every arrow has a head"


def nothing_overlaps_however_much_is_open(browser):
    apart(browser)
    for _ in range(30):
        hidden = browser.run(
            "document.querySelectorAll('.box').values().find((box) => [...box.querySelectorAll('.badge')].some((badge) => badge.textContent))?.dataset.id"
        )
        if hidden is None:
            break
        browser.run(f"toggle({hidden})")
        apart(browser)
    count = browser.run("[model.visible.size, model.nodes.length]")
    assert count[0] == count[1], f"everything can be opened: {count}"


def any_graph_is_laid_out_without_overlaps(browser):
    """Chains, trees, cycles, and graphs of as many symbols as a page can have, made by a fixed sequence of numbers."""
    wrong = browser.run(
        """(() => {
            let seed = 7;
            const next = (most) => (seed = (seed * 48271) % 2147483647) % most;
            const graphs = [[0, []], [3, []], [2, [[0, 1], [1, 0], [0, 0]]], [60, Array.from({ length: 60 }, (_, at) => [at, (at + 1) % 60])],
                [400, Array.from({ length: 399 }, (_, at) => [next(at + 1), at + 1])]];
            for (let size = 20; size <= 400; size += 95) {
                graphs.push([size, Array.from({ length: size * 2 }, () => [next(size), next(size)])]);
            }
            for (const [count, pairs] of graphs) {
                const sizes = Array.from({ length: count }, () => ({ width: 60 + next(200), height: 42 }));
                const edges = pairs.map(([from, to]) => ({ from, to }));
                const began = performance.now();
                const { corners, routes } = layOut(sizes, edges, count > 0 ? [0] : []);
                const took = performance.now() - began;
                if (took > 5000) return `${count} boxes took ${took} ms`;
                if (routes.some((points, at) => points.length === 0 && edges[at].from !== edges[at].to)) return 'an arrow is missing';
                for (const [one, a] of corners.entries()) for (const [two, b] of corners.entries()) {
                    if (one < two && a.x < b.x + sizes[two].width && b.x < a.x + sizes[one].width && a.y < b.y + 42 && b.y < a.y + 42) {
                        return `boxes ${one} and ${two} of ${count} overlap`;
                    }
                }
            }
            return '';
        })()"""
    )
    assert wrong == "", wrong


def a_search_filters_the_list_and_leads_to_what_it_finds(browser):
    browser.press("/")
    browser.type("lexer")
    found = browser.run("[...document.querySelectorAll('#list li[data-id]')].filter((item) => !item.hidden).map((item) => item.textContent)")
    assert found and all("lexer" in item.lower() for item in found), found
    assert browser.run("document.querySelectorAll('.box.found').length > 0")
    assert browser.run("document.querySelectorAll('.box.faint').length > 0")
    browser.press("Enter")
    first = browser.run(STATUS)
    assert first.startswith("1 of ") and "src/lexer.rs" in first, first
    browser.press("Enter")
    assert browser.run(STATUS).startswith("2 of "), browser.run(STATUS)
    selected = browser.run("document.querySelector('.box.selected .name').textContent")
    assert selected.startswith("Lexer::"), selected
    inside(browser, ".box.selected")
    browser.press("Escape")
    assert browser.run("document.querySelectorAll('.box.found').length") == 0
    browser.type("no such name")
    assert browser.run(STATUS) == "Nothing in this page matches"


def a_search_shows_what_the_picture_did_not(browser):
    hidden = browser.run("model.nodes.find((node) => !model.visible.has(node.id))?.name")
    assert hidden, "more is sent along than is shown"
    browser.press("/")
    browser.type(hidden)
    browser.press("Enter")
    assert hidden in [box["name"] for box in boxes(browser)], hidden
    inside(browser, ".box.selected")


def a_click_opens_a_box_and_another_closes_it(browser):
    before = len(boxes(browser))
    box = browser.run("[...document.querySelectorAll('.box')].find((box) => box.querySelector('.badge.behind').textContent).dataset.id")
    selector = f".box[data-id='{box}']"
    place = browser.middle(selector + " .frame")
    assert browser.run(f"document.querySelector({json.dumps(selector)}).getAttribute('aria-expanded')") == "false"
    browser.click(selector + " .name")
    after = len(boxes(browser))
    assert after > before, f"{before} boxes, then {after}"
    moved = browser.middle(selector + " .frame")
    assert max(abs(one - other) for one, other in zip(place, moved)) < 2, f"it stays below the pointer: {place} {moved}"
    assert f"{after - before} more shown" in browser.run(STATUS), browser.run(STATUS)
    while browser.run(f"model.hiddenNeighbours({box}).length") > 0:
        browser.click(selector + " .name")
    browser.click(selector + " .name")
    assert len(boxes(browser)) == before
    assert "hidden" in browser.run(STATUS)


def hovering_shows_the_source(browser):
    browser.hover(box_of("Parser::sum", browser) + " .name")
    browser.until(f"!{CARD}.hidden")
    text = browser.run(f"{CARD}.innerText")
    assert "method" in text and "src/parser.rs:" in text and "let mut tree = self.product()?;" in text, text
    called = browser.run("[...document.querySelectorAll('#card .call')].map((line) => line.textContent)")
    assert any("self.product()" in line for line in called), f"calls stand out: {called}"
    browser.mouse("mouseMoved", 5, 790)
    browser.until(f"{CARD}.hidden")
    # An arrow: the point half way along it.
    x, y = browser.run(
        """(() => { const line = document.querySelector('.arrow .line'); const at = line.getPointAtLength(line.getTotalLength() / 2);
        const point = new DOMPoint(at.x, at.y).matrixTransform(line.getScreenCTM()); return [point.x, point.y]; })()"""
    )
    browser.mouse("mouseMoved", x, y)
    browser.until(f"!{CARD}.hidden")
    text = browser.run(f"{CARD}.innerText")
    assert "→" in text and "Resolved" in text and "line" in text, text


def the_keyboard_reaches_everything(browser):
    browser.press("g")
    focused = "document.activeElement.querySelector('.name')?.textContent"
    assert browser.run(focused) == "Parser::parse"
    browser.until(f"!{CARD}.hidden")
    assert "fn parse" in browser.run(f"{CARD}.innerText")
    browser.press("Escape")
    assert browser.run(f"{CARD}.hidden")
    browser.press("ArrowLeft")
    assert browser.run("model.sides[document.activeElement.dataset.id]") == "caller"
    browser.press("ArrowRight")
    assert browser.run(focused) == "Parser::parse"
    browser.press("ArrowRight")
    assert browser.run("model.sides[document.activeElement.dataset.id]") == "callee"
    before = browser.run(VIEW)
    browser.press("+")
    assert browser.run(VIEW)[2] < before[2]
    browser.press("0")
    inside(browser, ".box")
    browser.press("g")
    count = len(boxes(browser))
    browser.press("Enter")
    assert len(boxes(browser)) != count
    browser.press("?")
    assert browser.run("document.getElementById('keys').open")
    browser.press("Enter")
    assert not browser.run("document.getElementById('keys').open"), "its button closes it"
    assert browser.errors == [], browser.errors


def a_link_copies_path_and_line(browser):
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    for selector in ("#list a.place", box_of("Parser::parse", browser) + " .detail"):
        place = browser.run(f"document.querySelector({json.dumps(selector)}).textContent")
        browser.run("navigator.clipboard.writeText('')")
        browser.click(selector)
        browser.until(f"{STATUS}.startsWith('Copied')")
        copied = browser.run("navigator.clipboard.readText()")
        assert copied == place and copied.startswith("src/parser.rs:"), (copied, place)
        browser.run("say('')")
    browser.press("g")
    browser.press("ArrowLeft")
    browser.press("c")
    browser.until(f"{STATUS}.startsWith('Copied')")
    assert browser.run("navigator.clipboard.readText()") == browser.run("placeOf(model.nodes[document.activeElement.dataset.id])")


def the_list_works_without_the_picture(browser):
    browser.run("document.getElementById('stage').style.display = 'none'")
    names = browser.run("[...document.querySelectorAll('#list summary .name')].map((name) => name.textContent)")
    assert len(names) == len(set(names)) == browser.run("model.nodes.length"), names
    titles = browser.run("[...document.querySelectorAll('#list h2')].map((title) => title.textContent)")
    assert [title.split(" ")[0] for title in titles] == ["Asked", "Callers", "Callees"], titles
    browser.click("#list summary")
    browser.until("document.querySelector('#list .body')")
    body = browser.run("document.querySelector('#list .body').innerText")
    assert "Calls" in body and "Parser::sum" in body and "Called by" in body and "main" in body, body
    assert "let tree = self.sum()?;" in body, body
    browser.click("#list .neighbour")
    assert browser.run("document.querySelector('#list li.selected .name').textContent") in body
    assert browser.errors == [], browser.errors


def light_and_dark_follow_the_system_and_the_switch(browser):
    seen = {}
    for theme in ("light", "dark"):
        browser.emulate(theme)
        colours = browser.run(BODY_COLOURS)
        seen[theme] = colours
        assert contrast(*colours) > 12, (theme, colours)
        for selector in (".box .name", ".box .detail"):
            text = browser.run(f"getComputedStyle(document.querySelector('{selector}')).fill")
            frame = browser.run("getComputedStyle(document.querySelector('.box:not(.start) .frame')).fill")
            assert contrast(text, frame) > 4.5, (theme, selector, text, frame)
    assert seen["light"] != seen["dark"]
    for chosen, system in (("light", "dark"), ("dark", "light")):
        browser.emulate(system)
        choose(browser, "theme", chosen)
        assert browser.run(BODY_COLOURS) == seen[chosen], f"{chosen} although the system is {system}"
    choose(browser, "theme", "system")
    assert browser.run(BODY_COLOURS) == seen["light"]


def colours_have_a_legend(browser):
    legend = "[...document.querySelectorAll('#groups button')].map((button) => button.textContent)"
    assert browser.run(legend) and all(one.startswith(("src", "tests")) for one in browser.run(legend)), browser.run(legend)
    stripes = "new Set([...document.querySelectorAll('.box .stripe')].map((stripe) => getComputedStyle(stripe).fill)).size"
    assert browser.run(stripes) == len(browser.run(legend))
    choose(browser, "colouring", "kind")
    assert any(one.startswith("method") for one in browser.run(legend)), browser.run(legend)
    browser.click("#groups button")
    assert browser.run("document.querySelectorAll('.box.found').length > 0")
    browser.click("#groups button")
    assert browser.run("document.querySelectorAll('.box.found').length") == 0


def tests_and_doubt_can_be_told(browser):
    tests = browser.run("[...document.querySelectorAll('.box.test')].map((box) => box.querySelector('.tag').textContent)")
    assert tests == ["test"], tests
    browser.click("#show-tests")
    assert browser.run("document.querySelectorAll('.box.test').length") == 0
    assert "test_nobody_is_fed" not in browser.run("document.getElementById('list').innerText")
    browser.click("#show-tests")
    assert browser.run("document.querySelectorAll('.box.test').length") == 1
    drawn = browser.run(
        """[...document.querySelectorAll('.arrow')].map((arrow) => [arrow.dataset.from, arrow.dataset.to].map((id) => model.nodes[id].name).join(' ')
        + ' ' + (getComputedStyle(arrow.querySelector('.line')).strokeDasharray === 'none' ? 'solid' : 'dashed')
        + (arrow.classList.contains('cycle') ? ' cycle' : '')).sort()"""
    )
    assert drawn == [
        "feed_all Cat.feed dashed",
        "feed_all Dog.feed dashed",
        "feed_all feed_all solid cycle",
        "test_nobody_is_fed feed_all solid",
    ], drawn
    dashes = {
        kind: browser.run(f"getComputedStyle(document.querySelector('#legend .{kind} .line')).strokeDasharray")
        for kind in ("ambiguous", "name_only", "cycle")
    }
    assert dashes["cycle"] == "none" and len(set(dashes.values())) == 3, dashes


def the_picture_pans_and_zooms(browser):
    stage = browser.middle("#picture")
    before = browser.run(VIEW)
    browser.mouse("mouseWheel", *stage, deltaX=0, deltaY=-300)
    browser.until(f"({VIEW})[2] < {before[2]} - 1")
    zoomed = browser.run(VIEW)
    start = (stage[0], stage[1] - 250)
    browser.drag(start, (start[0] + 90, start[1] + 60))
    panned = browser.run(VIEW)
    assert panned[0] < zoomed[0] and panned[1] < zoomed[1] and panned[2:] == zoomed[2:], (zoomed, panned)
    count = len(boxes(browser))
    box = browser.middle(".box.start .name")
    browser.drag(box, (box[0] + 40, box[1] + 30))
    assert len(boxes(browser)) == count, "a drag is no click"
    browser.click("#fit")
    for box in boxes(browser):
        inside(browser, f".box[data-id='{box['id']}']")


def it_says_what_is_left_out(browser):
    said = browser.run("document.querySelector('nav').innerText")
    assert "Calls more than 3 levels away are not on this page" in said, said
    assert "The picture shows" in said, said


def an_address_with_a_place_selects_it(browser):
    place = browser.run("placeOf(model.nodes.find((node) => node.name === 'Parser::factor'))")
    browser.run(f"location.hash = {json.dumps(place)}")
    browser.until("document.querySelector('.box.selected .name').textContent === 'Parser::factor'")


def it_is_readable_on_paper(browser):
    # In the dark, zoomed in: paper is light and has everything.
    browser.emulate("dark")
    for _ in range(6):
        browser.press("+")
    browser.emulate("dark", media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    light = browser.run("getComputedStyle(document.querySelector('.box:not(.start) .frame')).fill")
    ink = browser.run("getComputedStyle(document.querySelector('.box .name')).fill")
    assert contrast(ink, light) > 7 and luminance(light) > 0.8, (ink, light)
    for control in (".controls", ".zoom", "#card"):
        assert browser.run(f"document.querySelector('{control}').getBoundingClientRect().height") == 0, control
    left, top, width, height = browser.run(VIEW)
    extent = browser.run("picture.extent()")
    assert left <= extent["x"] and left + width >= extent["x"] + extent["width"], "all of the picture"
    assert top <= extent["y"] and top + height >= extent["y"] + extent["height"], "all of the picture"
    pdf = browser.pdf()
    assert pdf.startswith(b"%PDF") and len(pdf) > 10_000, len(pdf)
    browser.emulate("dark")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(VIEW)[2] < width, "the view of the screen is back"


def it_fits_a_narrow_window(browser):
    browser.resize(400, 800)
    width, height = browser.run("[document.documentElement.scrollWidth, document.getElementById('picture').getBoundingClientRect().height]")
    assert width <= 400 and height > 150, (width, height)


def names_and_source_stay_text(browser):
    assert browser.errors == [], browser.errors
    assert len(browser.addresses) == 1, browser.addresses
    assert browser.run("document.title") != "broken"
    assert browser.run("document.images.length") == 0
    assert browser.run("document.scripts.length") == 2
    assert browser.run("model.nodes.some((node) => node.path.includes('<img src=x'))"), "the name is there"
    assert "<img src=x" in browser.run("document.getElementById('list').textContent")


def hostile_source_stays_text(browser):
    names_and_source_stay_text(browser)
    browser.hover(box_of("outer", browser) + " .name")
    browser.until(f"!{CARD}.hidden")
    assert "</script><script>document.title" in browser.run(f"{CARD}.innerText")
    browser.run("document.querySelectorAll('#list details').forEach((details) => (details.open = true))")
    browser.until("document.querySelectorAll('#list .body').length === model.nodes.length")
    names_and_source_stay_text(browser)


def the_policy_refuses_everything_else(browser):
    refused = browser.run(
        """new Promise((done) => {
            const refused = [];
            addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
            const script = document.createElement('script');
            try { script.textContent = 'document.title = "broken"'; } catch { refused.push('trusted-types'); }
            document.head.append(script);
            const style = document.createElement('style');
            style.textContent = 'body { display: none }';
            document.head.append(style);
            const image = document.createElement('img');
            image.src = 'https://example.invalid/a.png';
            document.body.append(image);
            try { document.body.innerHTML = '<p>markup</p>'; } catch { refused.push('markup'); }
            fetch('https://example.invalid/').catch(() => refused.push('fetch'));
            setTimeout(() => done(refused), 500);
        })"""
    )
    for kind in ("trusted-types", "markup", "fetch", "style-src-elem", "img-src", "connect-src"):
        assert kind in refused, (kind, refused)
    assert browser.run("document.title") != "broken" and browser.run("getComputedStyle(document.body).display") != "none"


def the_graph_of_a_file_shows_all_of_it(browser):
    assert browser.errors == [], browser.errors
    assert browser.run("document.title") == "src/parser.rs"
    names = [box["name"] for box in boxes(browser)]
    for name in ("Parser::parse", "Parser::factor", "Tree::value", "Parser::new"):
        assert name in names, (name, names)
    apart(browser)


def a_map_is_a_tree_of_folders_files_and_symbols(browser):
    assert browser.errors == [], browser.errors
    names = [box["name"] for box in boxes(browser)]
    assert "engine" in names and "src/" in names and "parser.rs" in names, names
    apart(browser)
    browser.press("/")
    browser.type("skip_remark")
    browser.press("Enter")
    names = [box["name"] for box in boxes(browser)]
    assert "skip_remark" in names, names
    browser.press("Tab")
    browser.hover(box_of("skip_remark", browser) + " .name")
    browser.until(f"!{CARD}.hidden")
    text = browser.run(f"{CARD}.innerText")
    assert "fn skip_remark" in text and "src/lexer.rs:" in text, text
    assert browser.run("getComputedStyle(document.querySelector('#legend .arrows')).display") == "none"
    apart(browser)


ALL = [
    ("a page is shown without errors and without a network", shown_without_errors_and_without_a_network, "symbol.html"),
    ("callers stand left, callees right", callers_stand_left_and_callees_right, "symbol.html"),
    ("nothing overlaps, however much is open", nothing_overlaps_however_much_is_open, "near.html"),
    ("any graph is laid out without overlaps", any_graph_is_laid_out_without_overlaps, "symbol.html"),
    ("a search filters the list and leads to what it finds", a_search_filters_the_list_and_leads_to_what_it_finds, "symbol.html"),
    ("a search shows what the picture did not", a_search_shows_what_the_picture_did_not, "near.html"),
    ("a click opens a box, another closes it", a_click_opens_a_box_and_another_closes_it, "near.html"),
    ("hovering shows the source", hovering_shows_the_source, "symbol.html"),
    ("the keyboard reaches everything", the_keyboard_reaches_everything, "symbol.html"),
    ("a link copies path and line", a_link_copies_path_and_line, "symbol.html"),
    ("the list works without the picture", the_list_works_without_the_picture, "symbol.html"),
    ("light and dark follow the system and the switch", light_and_dark_follow_the_system_and_the_switch, "symbol.html"),
    ("colours have a legend", colours_have_a_legend, "symbol.html"),
    ("tests and doubt can be told", tests_and_doubt_can_be_told, "zoo.html"),
    ("the picture pans and zooms", the_picture_pans_and_zooms, "symbol.html"),
    ("the page says what is left out", it_says_what_is_left_out, "near.html"),
    ("an address with a place selects it", an_address_with_a_place_selects_it, "symbol.html"),
    ("the page is readable on paper", it_is_readable_on_paper, "symbol.html"),
    ("the page fits a narrow window", it_fits_a_narrow_window, "symbol.html"),
    ("hostile names and source stay text", hostile_source_stays_text, "hostile.html"),
    ("hostile names in a map stay text", names_and_source_stay_text, "hostile-map.html"),
    ("the policy refuses everything else", the_policy_refuses_everything_else, "symbol.html"),
    ("the graph of a file shows all of it", the_graph_of_a_file_shows_all_of_it, "file.html"),
    ("a map is a tree of folders, files and symbols", a_map_is_a_tree_of_folders_files_and_symbols, "map.html"),
]


def make_pictures(browser, pages, folder):
    """Light and dark, with a card; and a map."""
    browser.resize(1400, 760)
    for theme, name in (("light", "Parser::product"), ("dark", "Parser::sum")):
        browser.emulate(theme)
        browser.open(pages / "symbol.html")
        browser.hover(box_of(name, browser) + " .name")
        browser.until(f"!{CARD}.hidden")
        browser.screenshot(folder / f"page-{theme}.png")
    browser.emulate("light")
    browser.open(pages / "map.html")
    browser.screenshot(folder / "page-map.png")


def boxes(browser):
    return browser.run(BOXES)


def box_of(name, browser):
    found = browser.run(f"model.nodes.find((node) => node.name === {json.dumps(name)})?.id")
    assert found is not None, f"no {name}"
    return f".box[data-id='{found}']"


def choose(browser, control, value):
    browser.run(
        f"(() => {{ const control = document.getElementById('{control}'); control.value = '{value}';"
        " control.dispatchEvent(new Event('change')); })()"
    )


def apart(browser):
    """No two boxes touch, and no text leaves its box."""
    shown = boxes(browser)
    for at, one in enumerate(shown):
        frame = one["frame"]
        for text in one["texts"]:
            is_inside = text["left"] >= frame["left"] and text["right"] <= frame["right"] + 0.5
            assert is_inside and text["bottom"] <= frame["bottom"] + 0.5, one
        for other in shown[at + 1 :]:
            beside = frame["right"] <= other["frame"]["left"] or other["frame"]["right"] <= frame["left"]
            above = frame["bottom"] <= other["frame"]["top"] or other["frame"]["bottom"] <= frame["top"]
            assert beside or above, f"{one['name']} and {other['name']} overlap"


def inside(browser, selector):
    is_inside = browser.run(
        f"""(() => {{ const box = document.querySelector({json.dumps(selector + ' .frame')}).getBoundingClientRect();
        const stage = document.getElementById('picture').getBoundingClientRect();
        return box.left >= stage.left && box.right <= stage.right && box.top >= stage.top && box.bottom <= stage.bottom; }})()"""
    )
    assert is_inside, f"{selector} is out of view"


def contrast(one, other):
    """By the rule of WCAG 2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
