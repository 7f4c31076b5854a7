"""The files of figures, as rules name them: the report shows the PNG, papers take the SVG."""


def figure(path, caption, category, label):
    """The PNG and the SVG of a figure."""
    shown = report(
        f"{path}.png",
        caption=f"../report/{caption}.rst",
        category=category,
        labels={"figure": label},
    )
    return [shown, f"{path}.svg"]


def face_figures(names):
    """The files of figures of the cohort's faces, in order."""
    return [
        file
        for name in names
        for file in figure(
            f"results/private/faces/figures/{name}",
            f"face_{name}",
            "Figures of the cohort (private)",
            name.replace("_", " "),
        )
    ]


def shape_figure(name):
    """The files of a figure of the cohort's shapes."""
    return figure(
        f"results/private/shapes/figures/{name}",
        f"shape_{name}",
        "Figures of the cohort (private)",
        f"mean shapes: {name}",
    )


def simulation_figures(names):
    """The files of figures of simulations, in order."""
    return [
        file
        for name in names
        for file in figure(
            f"results/simulation/figures/{name}",
            name,
            "Simulations of the papers",
            name.replace("_", " "),
        )
    ]
