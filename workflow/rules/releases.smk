"""A release as people open it: its surfaces, tables, pictures, page, forms and sheet, from the release alone."""


rule show_release:
    input:
        mark="results/private/shown/{branch}/{release}.json",
    output:
        page="results/release/{branch}/{release}/index.html",
        nist="results/release/{branch}/{release}/nist.md",
        board="results/release/{branch}/{release}/for_the_board.html",
        picture=report(
            "results/release/{branch}/{release}/preview.png",
            caption="../report/release.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "picture"},
        ),
    params:
        code=code("show_release"),
        folder=lambda wildcards, input: shown_at(input.mark),
    script:
        "../../scripts/show_release.py"
