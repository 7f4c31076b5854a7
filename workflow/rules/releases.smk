"""A release as people open it: its surfaces, tables, pictures, page, forms and sheet, from the release alone."""


rule show_release:
    """Draw a release; write its page, forms and sheet, from it alone; refused if it holds what must stay private."""
    input:
        mark="results/private/shown/{branch}/{release}.json",
    output:
        # to be updated: what is shown stays where the job fails
        page=update("results/release/{branch}/{release}/index.html"),
        nist=update("results/release/{branch}/{release}/nist.md"),
        board=update("results/release/{branch}/{release}/for_the_board.html"),
        picture=report(
            update("results/release/{branch}/{release}/preview.png"),
            caption="../report/release.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "picture"},
        ),
    log:
        "results/private/logs/show_release/{branch}/{release}.log",
    benchmark:
        "results/private/benchmarks/show_release/{branch}/{release}.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("show_release"),
        folder=lambda wildcards, input: release_folder(input.mark),
    message:
        "show_release/{wildcards.branch}/{wildcards.release}: Show the release"
    script:
        "../../scripts/show_release.py"
