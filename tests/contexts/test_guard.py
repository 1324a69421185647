"""Each construct of which html5lib makes another tree is guarded, and its neighbours that are alike to both
are not (docs/decisions/two-roads-one-tree.md)."""

from __future__ import annotations

import pytest

from contexts.differences import difference
from contexts.draft import finish
from contexts.lexbor_road import unguarded_draft
from contexts.limits import DEFAULT, NESTED_BY_PEOPLE
from contexts.tidy import tidy

DEEP = NESTED_BY_PEOPLE + 1
CLOSE_P = """
    address article aside blockquote center details dir div dl fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre section summary table ul
"""
OTHERWISE = {
    "items past a young block": [
        "<dt><main><dt>",
        "<dt><main><dd>",
        "<dd><main><dt>",
        "<li><summary><li>",
        "<li><main><address><li>",
        f"<li><main>{'<span>' * DEEP}<li>",
    ],
    "end tags past a young block, of what another start tag has ended": [
        "<option><figcaption><option><option></option></option></figcaption><cite>",
        "<option><figcaption><option><optgroup></option></optgroup></figcaption><cite>",
        "<ruby><rt><figcaption><ruby><rt><rt></rt></rt></ruby></figcaption><cite>",
    ],
    "buttons moved out of a table, with formatting around them": ["<table><b><button><button><td></td><p>x"],
    "a young block moved out of formatting that is closed in it": [
        "<b><main></b>",
        "<small class=c><canvas><main /></small>",
    ],
    "tags of MathML in its texts": ["<math><mi><mglyph/></mi></math>", "<math><mo><malignmark></mo>x"],
    "frames after a stray end tag": ["</br><frameset>", "</BR><FRAMESET>"],
    "items between the cells of a table": [
        "<table><li><li>",
        "<table><dd><dd>",
        "<table><dt><dd>",
        "<table><option><optgroup>",
        *(f"<table>{part}<dd><dd>" for part in ("<tr>", "<td></td>", "<th></th>", "<caption></caption>")),
        *(f"<table><td><{part}><dd><dd>" for part in ("tr", "tbody", "thead", "tfoot", "col", "colgroup")),
    ],
    "columns in a select between the cells of a table": [
        "<table><select><colgroup>",
        "<table><col><select><col>",
    ],
    "an image in a table": ["<table><IMAGE src=x>"],
    "formatting opened again on space in a table": [
        *(
            f"<table>{cell}<p><a href=x>a</p> <p>b"
            for cell in ("<tr><td>", "<tr><th>", "<caption>", "<thead><tr><th>")
        ),
        "<table><strong><strong><code></strong>\n",
    ],
    "formatting opened again on space behind the body": [
        "<div><b></div></body> ",
        "<div><b></div></BODY\n>\n",
    ],
    "formatting opened again on the first line of preformatted text": [
        "<ul><em></ul><pre></tt>\n",
        "<ul><em></ul><listing></tt>\n",
    ],
    "tags of HTML in svg and MathML": ["<svg><sup>", "<math><sup>"],
    "stray end tags in svg and MathML": [
        "<SVG></P>",
        "<MATH></BR>",
        "<svg><g/></p>",
        "<svg></svgx></p>",
        "<math></mathx></br>",
        "<svg><svg></svg></p>",
        "<svg a='</svg>'></p>",
        "<svg><!--\n</svg>--></p>",
        "<svg><g a='</svg>'></p>",
        "<svg><g ='><svg>'></p>",
        "<svg><style></p></style></svg>",
        "<svg><style></p>",
        "<svg><![CDATA[></svg>]]></p>",
    ],
    "tags in texts of svg and MathML": [
        *(f"<svg><{name}><span></svg><span>" for name in ("title", "desc")),
        *(f"<math><{name}><span></math><span>" for name in ("mi", "mo", "mn", "ms", "mtext")),
        "<math><MI><span></math><span>",
        "<rp><math><mo></rp></mo><rp>",
        "<rp><svg><title></titlex></rp></title><rp>",
        "<title>x</title><rp><math><mo></rp></mo><rp>",
    ],
    "tags in texts of svg and MathML on a page on which others are plain, or none": [
        "<!--<title></title>--><rp><math><mo></rp></mo><rp>",
        "<script>'<title></title>'</script><rp><math><mo></rp></mo><rp>",
        "<img alt='<title></title>'><rp><math><mo></rp></mo><rp>",
        "<textarea><mi/></textarea><rp><math><mo></rp></mo><rp>",
        "<mi></mi><rp><math><mo></rp></mo><rp>",
        "<svg><mi></mi></svg><rp><math><mo></rp></mo><rp>",
        "<rp><math><mo></rp></mo><rp><svg><![CDATA[><title></title>]]></svg>",
    ],
    "the end of a form in a select": [
        "<form><select></form></select><form>",
        "<FORM><SELECT></FORM></SELECT><FORM>",
        "<form><select><option value='</select>'></form></select><form>",
        "<form><select><!--</select>--></form></select><form>",
    ],
    "formatting that is open before a template": [
        "<b><a href=x></b><template></template>",
        "<b><a href=x><img alt='</a>'></b><template></template>",
    ],
    "what closes an element around a template": [
        *(f"<!doctype html><p><template><{name}>x</{name}></template>y" for name in CLOSE_P.split()),
        *(f"<{name}><template><{name}>x</{name}></template>y" for name in ("a", "button", "form", "nobr")),
        "<table><template><i>x</i></template></table>",
        "<table><tr><template><i>x</i></template></table>",
        "<table><td><template><td>x</td></template></table>",
        "<table><div><template><div><tr></tr></div></template>",
        "<table><h1><template><div><table></table></div></template>",
    ],
    "what is parsed in a way of its own in a template": [
        *(
            f"<div><template><{name}>x</{name}></template></div>"
            for name in ("caption", "colgroup", "col", "tbody", "thead", "tfoot", "tr", "td", "th")
        ),
        "<ul><li><template><i><li>x</li></i></template></ul>",
        "<dl><dt><template><i><dd>x</dd></i></template></dl>",
        "<dl><dd><template><i><dt>x</dt></i></template></dl>",
    ],
    "what stands in a name, and is no space": [
        *(f"<app-page><main></main{other}></app-page>x" for other in "\u00a0\u0085\u3000\x0b\x1c"),
        *(f"<svg></svg{other}></p>" for other in "\u00a0\x0b"),
        "<form><select></select\u00a0></form></select><form>",
        "<svg width=\u00a0'x/'/></p>",
    ],
    "letters that only Unicode takes for others": [
        "<svg></\u017fvg></p>",
        "<form><select></\u017felect></form></select><form>",
        "<b><strike></b></stri\u212ae><template></template>",
    ],
    "ends of a block that are none": [
        "<app-page><main><script>'</main>'</script></app-page>x",
        "<app-page><main><script><!--<script></script></main></script></app-page>x",
        "<div><b></div></body> <script><!--<script></script><b></script>",
        "<app-page><main><textarea a='</textarea>'></main></textarea></app-page>x",
        "<app-page><main><style></style a='></main>'></app-page>x",
        "<app-page><main></ </main></app-page>x",
        "<app-page><main><q ='><main>'></main></app-page>x",
        "<app-page><main><svg><![CDATA[></svg></main>]]></svg></app-page>x",
        "<app-page><main><svg><title/></svg></app-page>x<title></title></main></app-page>",
        "<app-page><main><svg/><main/></main></app-page>x",
        "<app-page><main><svg><desc><main/></desc></svg></main></app-page>x",
    ],
}
ALIKE = [
    "<main><figcaption></main>x",
    "<form><figcaption><figcaption>",
    "<li><main><blockquote><li>",
    "<b><em><foo><foo><aside></b>",
    "<b><q><q><q><p>x</b></p>y",
    "<button>1</button><button>2</button><table><tr><td>x</table><button>3</button>",
    "<button>1</button><button>2</button><table></button><tr><td>x</table>",
    "<li>x</li><table><tr><td><li>y</table>",
    "<div><b>x<table><tr><td>y</table></b></div>",
    "<p><b>x</p> <p>y",
    "<div><b></div></body></html>\n",
    "<app-page><main><svg><style>x</style><title>y</title><g/></svg></main></app-page>x",
    "<app-page><main><script><!-- '<script src=a></script>' //--></script></main></app-page>x",
    "<app-page><main><script><!--></script></main></app-page>x",
    "<app-page><main><script><!-- <script> --></script></main></app-page>x",
    "<app-page><main><script><!-- <scripts> </script></main></app-page>x",
    "<title>x</title><img alt='<title></title>'><svg><title>a</title></svg><script>'<title>'</script>",
    "<svg><title>x</title></svg><textarea><mi></textarea>",
    "<form><select><option value='</select>'></select></form>",
    *(f"<div><template><{name}><li>x</li></{name}></template></div>" for name in ("menu", "ol", "ul")),
    "<div><template><dl><dt>x</dt><dd>y</dd></dl></template></div>",
    "<div><template><table><caption>x</caption><colgroup><col></colgroup></table></template></div>",
    *(
        f"<div><template><table><{part}><tr><th>x</th><td>y</td></tr></{part}></table></template></div>"
        for part in ("tbody", "thead", "tfoot")
    ),
    "<table><tr><td>x</table><div><template><table><tr><td>y</td></tr></table></template></div>",
    "<ul><li><template><ul><li>x</li></ul></template></li></ul>",
    "<h1><template><h2>x</h2></template></h1>",
    "<div><template><option>x</option></template></div>",
    "<svg/></p>",
    "<svg></svg></p>",
    "<svg><svg/></svg></p>",
    "<svg></svg a='x>'></p>",
    "<svg></svg><!-- x --></p>",
    "<svg><path></path></svg><br>",
    "<svg><style>x</style><script>y</script><image/><title>t</title></svg>",
]


@pytest.mark.parametrize("construct", OTHERWISE)
def test_what_html5lib_takes_otherwise_takes_the_exact_road(construct: str) -> None:
    for page in OTHERWISE[construct]:
        exact = tidy(page, "html5lib")
        unguarded = finish(unguarded_draft(page.encode(), DEFAULT), DEFAULT, "lexbor")
        assert difference(unguarded, exact) != "", page
        assert tidy(page).road == "html5lib", page


@pytest.mark.parametrize("page", ALIKE)
def test_what_only_looks_like_it_takes_the_fast_road_to_the_same_tree(page: str) -> None:
    fast = tidy(page)
    assert fast.road == "lexbor"
    assert difference(fast, tidy(page, "html5lib")) == ""


@pytest.mark.parametrize(
    "page",
    [
        *(
            f"<svg><{name}><x-y>t</x-y></{name}><x-y/></svg>"
            for name in ("foreignObject", "desc", "title", "g")
        ),
        *(
            f"<math><{name}><x-y>t</x-y></{name}><x-y/></math>"
            for name in ("mi", "mo", "mn", "ms", "mtext", "mrow")
        ),
        "<svg><desc><svg><x-y/></svg><x-y>t</x-y></desc></svg>",
        "".join(f"<x{n}>t</x{n}>" for n in range(2_000)),
    ],
)
def test_unknown_elements_are_of_the_kind_that_html5lib_says_without_the_guard_too(page: str) -> None:
    """A page on which html5lib takes too long has lexbor's tree, whatever the guard says."""
    unguarded = finish(unguarded_draft(page.encode(), DEFAULT), DEFAULT, "lexbor")
    assert difference(unguarded, tidy(page, "html5lib")) == ""
