"""A cohort is what its folder, glob or sheet says, or a message that names the rows at fault."""

import re
import unicodedata
from pathlib import Path

import pytest

from shapedp.base.errors import ConfigError, Rejected
from shapedp.base.reading import frame
from shapedp.base.settings import checks, pages, schema
from shapedp.people import populations, samples


@pytest.fixture
def folder(tmp_path):
    for name in ("a.ply", "b.xyz", "c.npy", "notes.md"):
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


def sheet(folder, *rows, header="id\tpath\tperson\tgroup\tnose_x\tnose_y\tnose_z"):
    path = folder / "sheet.tsv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_cells_count_of_scans_that_are_used_at_the_time_that_is_asked_for():
    rows = [("a", "child", "8", True), ("a", "adult", "40", True)]
    rows += [("b", "adult", "300", False), ("c", "child", "9", True)]
    members = [
        samples.Sample(who + time, "", who, covariates=(("age", age),), use=use, time=time)
        for who, time, age, use in rows
    ]
    assert samples.list_cells({"time": "adult"}, members) == [("a", {"age": "40"})]
    assert samples.list_cells({}, members) == [("a", {"age": "8"}), ("a", {"age": "40"}), ("c", {"age": "9"})]
    change = {"kind": samples.CHANGE, "times": ["child", "adult"]}
    assert samples.list_cells(change, members) == [("a", {"age": "8"}), ("a", {"age": "40"})]


def test_a_folder_and_a_glob_name_their_scans(folder):
    assert [sample.id for sample in samples.find(str(folder))] == ["a", "b", "c"]
    assert [sample.id for sample in samples.find(f"{folder}/[ab].*")] == ["a", "b"]


def test_a_sheet_is_read_relative_to_itself(folder):
    first, second = samples.find(sheet(folder, "p1\ta.ply\tann\twomen\t1\t2\t-3.5", "p2\tb.xyz\t\t\t\t\t"))
    assert first == samples.Sample("p1", str(folder / "a.ply"), "ann", "women", (1.0, 2.0, -3.5))
    assert second == samples.Sample("p2", str(folder / "b.xyz"), "p2", "", None)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["p\ta.ply", "p\tb.xyz"], "the id stands more than once: 'p' in rows 2, 3"),
        (["p\ta.ply", "q\tnone.ply"], "1 scan(s) were not found beside the sheet; correct their paths: row 3"),
        (["p\ta.ply\tann", "q\tb.xyz\tann"], "the person stands more than once: 'ann' in rows 2, 3"),
        (["p\ta.ply", "../q\tb.xyz"], "row 3: the id '../q' is not allowed"),
        (["p\ta.ply", "/etc/q\tb.xyz"], "row 3: the id '/etc/q' is not allowed"),
        (["p\ta.ply", "q\u202e\tb.xyz"], "row 3: the id"),
        (["p\ta.ply", ".hidden\tb.xyz"], "row 3: the id '.hidden' is not allowed"),
        (["p\ta.ply"], "holds 1 scan(s); a mean needs at least 2"),
    ],
)
def test_each_fault_names_its_row(folder, rows, words):
    padded = [row + "\t" * (6 - row.count("\t")) for row in rows]
    with pytest.raises(ConfigError) as caught:
        samples.find(sheet(folder, *padded))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../../q",
        "/q",
        "q/r",
        "q\\r",
        "q\0",
        "q\x1b[2J",
        "",
        "-q",
        "~q",
        "a" * 65,
        "q\u202er",
        "q\u2215r",
        "q\uff0fr",
        "\u0430nna",
        "q\u0301",
        "q\u200b",
        "\uff11",
        "q\u00a0",
    ],
)
def test_names_that_could_mislead_are_refused_as_ids(folder, name):
    with pytest.raises(ConfigError) as caught:
        samples.find(sheet(folder, "p\ta.ply\t\t\t\t\t", f"{name}\tb.xyz\t\t\t\t\t"))
    assert "row 3: the id" in str(caught.value)
    assert str(caught.value).isprintable()


SHOWN = ["Mädchen", "age 10-12", "男", "-1", "≥ 65 (a/b)", "a" * 200]
HIDDEN = ["q\x1b[2J", "q\0", "q\u202er", "q\u200b", "q\u00a0", "q\u00ad", "a" * 201]


def test_a_group_is_any_cell_that_shows_and_another_is_none_and_refuses_no_run(folder):
    """A group may be private."""
    for name in SHOWN:
        first, second = samples.find(sheet(folder, "p\ta.ply\t\tmen\t\t\t", f"q\tb.xyz\t\t{name}\t\t\t"))
        assert (first.group, second.group, second.notices) == ("men", name, ())
    for name in HIDDEN:
        first, second = samples.find(sheet(folder, "p\ta.ply\t\tmen\t\t\t", f"q\tb.xyz\t\t{name}\t\t\t"))
        assert (first.group, second.group, first.notices) == ("men", "", ())
        assert "".join(second.notices).isprintable() and second.notices


@pytest.mark.parametrize("branch", ["faces", "shapes"])
def test_settings_name_those_groups_that_a_sheet_can_hold(branch):
    settings = pages.make_demo()
    for name in (*SHOWN, *HIDDEN, " f", "f ", "", " ", '"f', "f\n", "\u2028f"):
        settings[branch]["releases"] = [{**settings[branch]["releases"][0], "group": name}]
        settings["privacy"]["groups"] = {"membership": "private", "sizes": {name: 9}}
        if name in SHOWN:
            checks.check(settings)
            continue
        with pytest.raises(ConfigError, match="all of which show") as caught:
            checks.check(settings)
        told = str(caught.value)
        assert f"{branch}.releases.0.group" in told and "privacy.groups.sizes" in told


def test_settings_take_each_sign_that_shows():
    """Beside those that nobody has given a meaning yet, which no cell that shows holds."""
    takes = re.compile(schema.find_meaning("faces.releases[].group")["pattern"])
    for sign in map(chr, range(0x10000)):
        if unicodedata.category(sign) not in ("Cn", "Co", "Cs"):
            assert bool(takes.search(f"a{sign}a")) == frame.is_showable(f"a{sign}a"), repr(sign)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("\t1\t\t", "center is not marked"),
        ("\t1\tnan\t2", "center is not marked"),
        ("\t1\ttwo\t2", "center is not marked"),
        ("men\t1\t2\t3\t4", "more cells than the 7 columns"),
        ("men\t1", "fewer cells than the 7 columns"),
        ('"men\t1\t2\t3', "a quotation mark that does not close"),
        ('men\t"1\t2\t3', "a quotation mark that does not close"),
        ("m" * 201 + "\t\t\t", "more than 200 characters"),
        ("men\u200b\t\t\t", "do not show, in group"),
        ("men\u00ad\t\t\t", "do not show, in group"),
        ("men\r\t\t\t", "do not show, in group"),
    ],
)
def test_a_fault_in_one_row_is_that_records_own_affair_and_is_told(folder, cells, words):
    rows = [f"{name}\t{file}\t{name}\t" for name, file in (("p", "a.ply"), ("q", "b.xyz"), ("r", "c.npy"))]
    sound = samples.find(sheet(folder, *(row + "men\t1\t2\t3" for row in rows)))
    found = samples.find(sheet(folder, rows[0] + cells, *(row + "men\t1\t2\t3" for row in rows[1:])))
    assert found[1:] == sound[1:]
    assert (found[0].id, found[0].path, found[0].person) == (sound[0].id, sound[0].path, sound[0].person)
    assert any("row 2" in one and words in one for one in found[0].notices)


def test_bytes_that_are_no_text_spoil_their_own_cell(folder):
    path = Path(sheet(folder, "p\ta.ply\t\tmen\t\t\t", "q\tb.xyz\t\tmen\t\t\t"))
    path.write_bytes(path.read_bytes().replace(b"men", b"m\xe9n", 1))
    assert [one.group for one in samples.find(str(path))] == ["", "men"]


def test_columns_of_the_frame_do_not_stand_between_those_of_records(folder):
    """There a comma too many in one cell would move them."""
    (folder / "sheet.csv").write_text("id,path,age,person,sex\np,a.ply,3,ann,f\nq,b.xyz,4,bea,f\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"person stand between other columns"):
        samples.find(str(folder / "sheet.csv"))
    (folder / "sheet.csv").write_text("path,age,sex,person\na.ply,3,f,ann\nb.xyz,4,1,f,bea\n", encoding="utf-8")
    assert [(one.id, one.person) for one in samples.find(str(folder / "sheet.csv"))] == [("a", "ann"), ("b", "bea")]


def test_blanks_about_a_cell_are_no_part_of_it(folder):
    """So `anna ` is anna, and `after ` is no third time."""
    rows = ["p | a.ply|anna|before|f | 34 ", "q|b.xyz | anna | after |f|35"]
    rows = [row.replace("|", "\t") for row in rows]
    first, second = samples.find(sheet(folder, *rows, header="id\tpath\tperson\ttime\tgroup\tage"), persons="average")
    assert (first.id, first.path, first.covariates) == ("p", str(folder / "a.ply"), (("age", "34"),))
    assert (second.id, second.path, second.covariates) == ("q", str(folder / "b.xyz"), (("age", "35"),))
    assert (first.person, second.person) == ("anna", "anna")
    assert (first.group, second.group, first.time, second.time) == ("f", "f", "before", "after")


@pytest.mark.parametrize("person", ["ann\x1b[2J", "ann\u202e", "ann\0", "a" * 201])
def test_persons_that_do_not_show_are_refused(folder, person):
    with pytest.raises(ConfigError, match="row 2: the person") as caught:
        samples.find(sheet(folder, f"p\ta.ply\t{person}\t\t\t\t", "q\tb.xyz\t\t\t\t\t"))
    assert str(caught.value).isprintable()


def test_persons_may_have_names_of_any_language(folder):
    found = samples.find(sheet(folder, "p\ta.ply\tÅsa Müller\t\t\t\t", "q\tb.xyz\t王\t\t\t\t"))
    assert [one.person for one in found] == ["Åsa Müller", "王"]


@pytest.fixture
def inside(folder):
    """A folder with two scans beside others that are not its own."""
    home = folder / "home"
    home.mkdir()
    for name in ("a.ply", "b.ply"):
        (home / name).write_bytes(b"x")
    return home


@pytest.mark.parametrize("path", ["../a.ply", "{above}/a.ply", "link.ply", "linked/a.ply", "x/../../a.ply"])
def test_a_sheet_names_nothing_outside_its_folder(folder, inside, path):
    (inside / "x").mkdir()
    (inside / "link.ply").symlink_to(folder / "a.ply")
    (inside / "linked").symlink_to(folder)
    rows = ["p\ta.ply\t\t\t\t\t", f"q\t{path.format(above=folder)}\t\t\t\t\t"]
    with pytest.raises(ConfigError, match=r"1 scan\(s\) lie outside the folder.*name a folder above both"):
        samples.find(sheet(inside, *rows))


def test_a_folder_and_a_glob_do_not_follow_links_out(folder, inside):
    (inside / "c.ply").symlink_to(folder / "a.ply")
    for scans in (inside, inside / "*.ply"):
        with pytest.raises(ConfigError, match=r"through a link: '.*c\.ply'"):
            samples.find(str(scans))
    above = [one.id for one in samples.find(f"{folder}/h*/*.ply")]
    assert above == ["a", "b", "c"], "the folder before the first sign of the glob holds the link's target"


def test_links_to_the_folder_itself_and_within_it_are_followed(folder, inside):
    (folder / "door").symlink_to(inside)
    (inside / "c.ply").symlink_to("a.ply")
    assert [one.id for one in samples.find(str(folder / "door"))] == ["a", "b", "c"]


@pytest.mark.parametrize("path", ["a\x1b[2J.ply", "a\u202e.ply", "a\0.ply", "", "a" * 5000, "a" * 300, "a/" * 2000])
def test_paths_that_do_not_show_or_are_too_long_are_refused(folder, path):
    with pytest.raises(ConfigError, match=r"row 2|row 2: .* found") as caught:
        samples.find(sheet(folder, f"p\t{path}\t\t\t\t\t", "q\tb.xyz\t\t\t\t\t"))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id\tpath\np\t" + "a" * 200_000 + "\n", r"row 2: the path .* longer than 4096"),
        ("id\tpath\tid\np\ta.ply\tq\n", r"the column\(s\) 'id' stand more than once"),
        ("id\tpath\np\ta.ply\nq\n", "row 3: lacks a cell for one of id, path"),
        ("id\tpath\x1b[2J\np\ta.ply\n", "needs the column"),
        ("\0", "needs the column"),
        ("id\tpath\tPerson\np\ta.ply\tq\n", "did you mean 'person'"),
        ("id\tpath\tpersons\ttime\np\ta.ply\tq\tpre\n", "unknown column 'persons'; did you mean 'person'"),
        ("id\tpath\tsubject\np\ta.ply\tq\n", "unknown column 'subject'; did you mean 'person'"),
        ("id\tpath\tperson\tTime\np\ta.ply\tq\tpre\n", "unknown column 'Time'; did you mean 'time'"),
        ("id;path;gruppe nose_x;grop\np;a.ply;;\n", "unknown column 'grop'; did you mean 'group'"),
        ("id\tpath\n" + '"' * 9, "row 2"),
        ("", "needs the column"),
    ],
)
def test_damaged_sheets_are_refused_in_words(folder, text, words):
    (folder / "sheet.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=words) as caught:
        samples.find(str(folder / "sheet.tsv"))
    assert str(caught.value).isprintable()


def test_a_file_name_that_could_mislead_is_refused(folder):
    (folder / "d\n\x1b[2J.ply").write_bytes(b"x")
    with pytest.raises(ConfigError, match="the id") as caught:
        samples.find(str(folder))
    assert str(caught.value).isprintable()


def test_a_sheet_of_absurdly_many_rows_is_refused_and_one_cell_may_be_of_any_size(folder, monkeypatch):
    rows = [f"{name}\t{path}\t{name}\t{cell}" for name, path, cell in (("p", "a.ply", "9" * 5000), ("q", "b.xyz", "b"))]
    (folder / "sheet.tsv").write_text("\n".join(["id\tpath\tperson\tgroup", *rows]) + "\n", encoding="utf-8")
    monkeypatch.setattr(frame, "LONGEST_LINE", 100)
    assert [one.group for one in samples.find(str(folder / "sheet.tsv"))] == ["", "b"]
    monkeypatch.setattr(frame, "MOST_RECORDS", 2)
    with pytest.raises(Rejected, match="too many rows"):
        samples.find(str(folder / "sheet.tsv"))


def test_two_scans_of_a_person_may_be_averaged(folder):
    path = sheet(folder, "p\ta.ply\tann\t\t\t\t", "q\tb.xyz\tann\t\t\t\t")
    assert [sample.person for sample in samples.find(path, persons="average")] == ["ann", "ann"]


def test_two_scans_of_a_person_stop_a_run_at_one_time_alone_as_the_settings_say(folder):
    for second in ("pre", "post"):
        path = sheet(folder, "p\ta.ply\tann\tpre", f"q\tb.xyz\tann\t{second}", header="id\tpath\tperson\ttime")
        if second == "post":
            assert len(samples.find(path, persons="refuse")) == 2
            continue
        with pytest.raises(ConfigError, match="the person stands more than once: 'ann' at 'pre' in rows 2, 3"):
            samples.find(path, persons="refuse")
    assert "several scans at one time: refuse stops the run" in schema.find_meaning("faces.persons")["description"]


@pytest.mark.parametrize("sign", ["\t", ";", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_sheets_as_laboratories_have_them(folder, sign, encoding):
    (folder / "Anna Müller 1.ply").write_bytes(b"x")
    rows = ["id|path|age|group|note", 'p|Anna Müller 1.ply|34|women|"a; b, c"', "q|b.xyz||men|"]
    (folder / "liste.csv").write_text("\r\n".join(row.replace("|", sign) for row in rows) + "\r\n", encoding=encoding)
    first, second = samples.find(str(folder / "liste.csv"))
    assert (first.path, first.group) == (str(folder / "Anna Müller 1.ply"), "women")
    assert dict(first.covariates) == {"age": "34", "note": "a; b, c"}
    assert dict(second.covariates) == {"age": "", "note": ""}


def test_a_decimal_comma_is_read_where_commas_separate_nothing(folder):
    text = "id;path;nose_x;nose_y;nose_z\np;a.ply;1,5;-2,25;3\nq;b.xyz;;;\n"
    (folder / "sheet.csv").write_text(text, encoding="utf-8")
    assert samples.find(str(folder / "sheet.csv"))[0].nose == (1.5, -2.25, 3.0)


def test_ids_of_files_lose_blanks_and_accents(tmp_path):
    for name in ("Anna Müller (1).ply", "Åsa Groß.ply"):
        (tmp_path / name).write_bytes(b"x")
    found = samples.find(str(tmp_path))
    assert [(one.id, one.person) for one in found] == [
        ("Anna_Muller__1_", "Anna Müller (1)"),
        ("Asa_Gross", "Åsa Groß"),
    ]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("O'Brien #7", "O_Brien__7"),
        ("(1) Søren @ 5%", "1__Soren___5_"),
        ("a{b}=c!~;²", "a_b__c___2"),
        ("男 1", "u7537_1"),
        ("Анна", "u0410u043du043du0430"),
        ("-x.y-z_0", "x.y-z_0"),
    ],
)
def test_ids_of_files_hold_what_an_id_may_hold_of_any_name(tmp_path, name, wanted):
    for stem in (name, "other"):
        (tmp_path / f"{stem}.ply").write_bytes(b"x")
    of_id = {one.id: one.person for one in samples.find(f"{tmp_path}/*.ply")}
    assert of_id == {wanted: name, "other": "other"}
    listed = samples.find(sheet(tmp_path, f'"{name}.ply"', "other.ply", header="path"))
    assert [one.id for one in listed] == [wanted, "other"]


def test_a_file_whose_name_gives_no_id_is_named_with_what_to_do(tmp_path):
    for stem in ("a" * 65, "other"):
        (tmp_path / f"{stem}.ply").write_bytes(b"x")
    assert samples.make_identifier("._scan") == "._scan"
    with pytest.raises(
        ConfigError, match=r"'a{65}\.ply': the id .* at most 64, no first '\.'; rename the file, or name a"
    ):
        samples.find(str(tmp_path))
    with pytest.raises(ConfigError, match=r"row 2: the id .*, for 'a{65}\.ply'; rename the file, or add a column `id`"):
        samples.find(sheet(tmp_path, f"{'a' * 65}.ply", "other.ply", header="path"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Müller.ply", "Muller.ply", "'Muller' of 'Muller.ply' and 'Müller.ply'"),
        ("scan.npy", "scan.obj", "'scan' of 'scan.npy' and 'scan.obj'"),
        ("a/scan.ply", "b/scan.ply", "'scan' of 'a/scan.ply' and 'b/scan.ply'"),
    ],
)
def test_ids_that_become_the_same_are_refused_with_the_files_and_what_to_do(tmp_path, one, other, same):
    for name in (one, other):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    scans = f"{tmp_path}/*/*.ply" if "/" in one else str(tmp_path)
    words = (
        f"the id stands more than once: {same}; rename the file, or name a sample sheet with the columns id and path"
    )
    with pytest.raises(ConfigError, match=re.escape(words)):
        samples.find(scans)


def test_what_a_folder_holds_besides_is_named_with_its_reason(folder):
    (folder / "older").mkdir()
    (folder / ".DS_Store").write_bytes(b"x")
    left_out = list(samples.describe_unused(str(folder)))
    assert [line.split(" is ")[0] for line in left_out] == ["'older'", "'notes.md'"]
    assert ".md is not a format of scans" in left_out[1]
    assert list(samples.describe_unused(f"{folder}/*.ply")) == []


def test_textures_beside_scans_are_told_in_a_short_line_an_ending(folder):
    for name in (f"s{number}.{ending}" for number in range(5) for ending in ("mtl", "JPG", "jpg", "bmp")):
        (folder / name).write_bytes(b"x")
    told = list(samples.describe_unused(str(folder)))
    assert sorted(told) == [
        "'notes.md' is not used: .md is not a format of scans",
        "'s0.JPG' and 9 more like it are not used: .jpg is not a format of scans",
        "'s0.bmp' and 4 more like it are not used: .bmp is not a format of scans",
        "'s0.mtl' and 4 more like it are not used: .mtl is not a format of scans",
    ]


@pytest.mark.parametrize("pattern", ["*.ply", "[ab].*", "*/*.ply"])
def test_a_sheet_that_a_glob_passes_over_is_told(folder, pattern):
    (folder / "older").mkdir()
    (folder / "older/d.ply").write_bytes(b"x")
    assert list(samples.describe_unused(f"{folder}/{pattern}")) == []
    (folder / "whose.csv").write_text("path,person\na.ply,ann\nb.xyz,ann\n", encoding="utf-8")
    (told,) = samples.describe_unused(f"{folder}/{pattern}")
    assert f"the sample sheet '{folder}/whose.csv' lies beside the scans and is not used" in told
    (folder / "samples.tsv").write_bytes(b"x")
    (told,) = samples.describe_unused(f"{folder}/{pattern}")
    assert f"the sample sheet '{folder}/samples.tsv' and 1 more lie beside" in told
    (told, _) = samples.describe_unused(f"{folder}/*.csv")
    assert told == "'whose.csv' counts as a scan but looks like a sheet: name it in faces.scans, or move it away"


def test_missing_columns_are_named(folder):
    with pytest.raises(ConfigError, match=r"needs the column\(s\) path"):
        samples.find(sheet(folder, "p", header="id"))


def test_batches_hold_every_sample_once_in_order(folder):
    cohort = [samples.Sample(str(i), "", str(i)) for i in range(23)]
    split = samples.split_batches(cohort, 10)
    assert list(split) == ["1", "2", "3"]
    assert [sample for batch in split.values() for sample in batch] == cohort


@pytest.mark.parametrize(("count", "jobs"), [(20, 1), (63, 2), (250, 8), (1000, 8), (10_000, 40), (400_000, 1000)])
def test_automatic_batches_make_few_equal_jobs(count, jobs):
    sizes = [len(batch) for batch in samples.split_batches(range(count), "auto").values()]
    assert len(sizes) == jobs
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) < jobs, "nobody waits for one long batch"
    assert jobs == 1 or min(sizes) > samples.FEWEST - jobs


def test_a_scan_is_left_out_by_a_plain_no_and_an_unreadable_cell_counts_as_yes(tmp_path):
    rows = {"a": "no", "b": " No", "c": "0", "d": "yes", "e": "", "f": "n0", "g": "maybe"}
    for name in rows:
        (tmp_path / f"{name}.ply").touch()
    (tmp_path / "sheet.tsv").write_text("path\tuse\n" + "".join(f"{one}.ply\t{use}\n" for one, use in rows.items()))
    found = {one.id: one.use for one in samples.find(str(tmp_path / "sheet.tsv"))}
    assert found == {"a": False, "b": False, "c": False, "d": True, "e": True, "f": True, "g": True}


def test_public_groups_stand_where_nothing_else_of_a_record_moves_them(tmp_path):
    sheet, public, private = tmp_path / "sheet.csv", {"membership": "public"}, {"membership": "private"}
    for header in ("path,person,group,job", "path,person,job,group", "path;group", "id,animal,group,job"):
        sheet.write_text(f"{header}\n")
        populations.refuse_movable_groups("faces.scans", str(sheet), public)
    sheet.write_text("path,person,age,group,job\n")
    for groups in (private, None):
        populations.refuse_movable_groups("faces.scans", str(sheet), groups)
    with pytest.raises(ConfigError, match="the column `group` between other columns"):
        populations.refuse_movable_groups("faces.scans", str(sheet), public)


def test_the_column_use_needs_a_declaration_whatever_its_cells_say(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.ply").touch()
    sheet = tmp_path / "sheet.tsv"
    sheet.write_text("path\tuse\na.ply\tyes\nb.ply\tyes\n")
    with pytest.raises(ConfigError, match=r"privacy\.reviewed: each_alone"):
        populations.refuse_unreviewed("faces.scans", str(sheet), None)
    populations.refuse_unreviewed("faces.scans", str(sheet), "each_alone")
    sheet.write_text("id\tanimal\tUse\tside\na\ta\tyes\tleft\n")  # of landmarks
    with pytest.raises(ConfigError, match=r"shapes\.sheet: .* has the column `use`"):
        populations.refuse_unreviewed("shapes.sheet", str(sheet), None)
    sheet.write_text("path\na.ply\nb.ply\n")
    populations.refuse_unreviewed("faces.scans", str(sheet), None)


def test_a_sheet_that_names_persons_by_another_word_is_known_as_a_sheet(tmp_path):
    (tmp_path / "list.csv").write_text("path,subject\na.ply,anna\n", encoding="utf-8")
    assert samples.is_sheet(tmp_path / "list.csv")


def test_marks_and_sides_are_read_and_what_is_none_is_told(folder):
    header = "id\tpath\tside\tmark_cusp_x\tmark_cusp_y\tmark_cusp_z"
    rows = ["a\ta.ply\tR\t1\t2\t3", "b\tb.xyz\tleft\t1\t\t3", "c\tc.npy\tup\t\t\t"]
    first, second, third = samples.find(sheet(folder, *rows, header=header))
    assert first.marks == (("cusp", (1.0, 2.0, 3.0)),)
    assert [one.mirrored for one in (first, second, third)] == [True, False, False]
    assert (second.marks, third.marks) == ((), ())
    assert "no cusp is marked" in second.notices[0]
    assert "neither left nor right" in third.notices[0]
    assert first.scan_inputs == ("a", first.path, None, first.marks, True)


def test_a_sheet_with_marks_needs_the_declaration_that_each_was_judged_alone(folder):
    marked = sheet(folder, header="id\tpath\tmark_cusp_x\tmark_cusp_y\tmark_cusp_z")
    with pytest.raises(ConfigError, match=r"has the column `mark_cusp_x`: declare `privacy.reviewed: each_alone`"):
        populations.refuse_unreviewed("faces.scans", marked, None)
    populations.refuse_unreviewed("faces.scans", marked, "each_alone")
    populations.refuse_unreviewed("faces.scans", sheet(folder), None)
