import colorsys

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from shapedp.releases.figures import style
from shapedp.releases.figures.face_means import draw_face_sheet

CORNERS = np.array([[0.0, 0, 0], [60, 0, 0], [60, 80, 0], [0, 80, 5]])
SQUARE = (CORNERS, np.array([[0, 1, 2], [0, 2, 3]]))


def drawn():
    with style.open_figure("column", 2.0, caption="A line.") as made:
        axes = made.subplots()
        axes.plot([0, 1], [0, 2])
        axes.set_xlabel("radius (mm)")
    return made


@pytest.mark.slow
def test_the_same_figure_gives_the_same_bytes(tmp_path):
    first = [path.read_bytes() for path in style.save(drawn(), tmp_path / "a", style.FORMATS)]
    again = drawn()
    for folder in ("b", "c"):  # also when one figure is saved twice
        assert [path.read_bytes() for path in style.save(again, tmp_path / folder / "a", style.FORMATS)] == first


def test_text_of_a_vector_picture_is_text(tmp_path):
    _, svg = style.save(drawn(), tmp_path / "figure")
    assert "radius (mm)" in svg.read_text(encoding="utf-8")
    assert "A line." in svg.read_text(encoding="utf-8")


def test_unknown_formats_are_refused(tmp_path):
    with pytest.raises(ValueError, match="gif"):
        style.save(drawn(), tmp_path / "figure", ("gif",))


def test_settings_of_others_are_left_alone():
    before = matplotlib.rcParams["font.size"]
    with style.open_figure():
        assert matplotlib.rcParams["font.size"] == style.SHEET["font.size"]
    assert matplotlib.rcParams["font.size"] == before


def test_colours_stay_apart_without_red_green_vision():
    """Deuteranopia after Vienot, Brettel and Mollon (1999), a linear map of linear light."""
    blind = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])
    light = np.array([blind @ np.power(to_rgb(colour), 2.2) for colour in style.COLOURS.values()])
    seen = np.clip(light, 0, 1) ** (1 / 2.2)
    for i in range(len(seen)):
        for j in range(i):
            assert np.abs(seen[i] - seen[j]).max() > 0.1
    assert colorsys.rgb_to_hls(*to_rgb(style.INK))[1] < 0.2  # text is dark


@pytest.mark.slow
def test_a_sheet_has_a_picture_a_view_and_a_title_a_mesh(tmp_path):
    made = draw_face_sheet([SQUARE, SQUARE, SQUARE], ["one", "two", "three"], size=(40, 50), caption="Squares.")
    assert len(made.axes) == 6
    assert [axes.get_title() for axes in made.axes[:3]] == ["one", "two", "three"]
    png, svg = style.save(made, tmp_path / "sheet")
    assert style.save(made, tmp_path / "again", ("png",))[0].read_bytes() == png.read_bytes()
    assert np.ptp(matplotlib.image.imread(png)[..., :3]) > 0.5
    for text in ("one", "three", "20 mm", "Squares."):
        assert text in svg.read_text(encoding="utf-8")


def test_a_sheet_needs_a_title_for_every_mesh():
    with pytest.raises(ValueError, match="2 meshes need as many titles"):
        draw_face_sheet([SQUARE, SQUARE], ["one"])


@pytest.mark.parametrize("width", ["column", "page"])
def test_captions_are_broken_to_the_width_and_lose_no_word(width):
    caption = "Words that say what a figure shows, and how to read it. " * 8
    lines = style.wrap_caption(caption, width)
    assert max(map(len, lines)) <= style.LETTERS[width]
    assert " ".join(lines).split() == caption.split()


@pytest.mark.parametrize("width", ["column", "page"])
def test_a_full_line_of_a_caption_stays_inside_the_picture(width):
    caption = "the mean of a hundred people and some more words " * 6
    with style.open_figure(width, 2.0, caption) as made:
        made.subplots()
        made.draw_without_rendering()
        box = made._supxlabel.get_window_extent()
    assert box.x1 < made.bbox.x1


def test_words_on_pictures_of_faces_have_accents():
    font = style.load_font(18)
    none = bytes(font.getmask("\uffff"))
    assert all(bytes(font.getmask(letter)) != none for letter in "éèßñşžΩЖ“")
