"""The counts of names and docstrings count what they say."""

from benchmarks import prose_counts

CODE = """
# Why.
def height_of(one, found=2):
    \"\"\"Return a height.

    Parameters
    ----------
    one : float
        Of a person.
    \"\"\"
    return one.told(*found, *[1])


def read(path, unit):
    return f"{path} shows no nose", "faces.nose", unit
"""


def test_each_count_sees_its_own(tmp_path):
    path = tmp_path / "part.py"
    path.write_text(CODE)
    prose = prose_counts.count_prose(tmp_path)
    assert prose.names[path] == 5  # one twice, found twice, told
    assert prose.splats[path] == 1
    assert prose.of_functions == ["part.py::height_of"]
    assert (prose.comments, prose.lines) == (1, len(CODE.splitlines()))
    assert prose_counts.texts_that_know_a_face(tmp_path) == [(path, " shows no nose")]
    height, read = prose_counts.tree(path).body
    assert prose_counts.has_section(height) and not prose_counts.has_section(read)
    assert prose_counts.parameters(height) == ["one", "found"]


def test_what_another_wing_takes_is_found():
    uses = prose_counts.uses_from_other_wings()
    files = prose_counts.LIBRARY / "base/storage/files.py"
    assert "write_text" in uses[files]
    assert "_replace" not in uses[files]
