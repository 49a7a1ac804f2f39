"""A zip for each learner, and the files that send them."""

import csv
import io
from zipfile import ZipFile

from grader.classroom import new_assignment, pack_hand_outs
from grader.classroom.results.roster import read_roster

STEMS = ("03_member_tensors", "08_leaf_tensors")
WORKSHEET = """\
Identifier,Full name,ID number,Email address,Grade,Last modified (grade)
Participant 4711,Ada Lovelace,a1,ada@example.org,,-
Participant 4712,Björn_Müller,b2,bjorn@example.org,,-
"""
ROSTER = "name,email\nAda Lovelace,ada@example.org\n"


def packed(folder, roster):
    (folder / "roster.csv").write_text(roster, encoding="utf-8")
    people = read_roster(folder / "roster.csv")
    drawn = new_assignment(["08", "03"], 7, folder, [(p.name, p.learner_id) for p in people])
    return drawn, pack_hand_outs(folder, drawn, people)


def test_each_learner_gets_a_zip_of_their_own_variant_without_its_solution(tmp_path):
    drawn, (merge, _) = packed(tmp_path, WORKSHEET)

    rows = list(csv.DictReader(merge.read_text(encoding="utf-8").splitlines()))
    assert [row["name"] for row in rows] == ["Ada Lovelace", "Björn_Müller"]
    for row, variant in zip(rows, drawn.variants, strict=True):
        with ZipFile(merge.with_name(row["file"])) as archive:
            held = {name: archive.read(name) for name in archive.namelist()}
        assert sorted(held) == [
            f"{stem}/{name}"
            for stem in STEMS
            for name in (f"{stem}.py", "starter.py", "variant.json")
        ]
        for stem in STEMS:
            starter = (tmp_path / "teacher" / stem / variant / "starter.py").read_bytes()
            assert held[f"{stem}/{stem}.py"] == starter


def test_moodle_gives_each_participant_their_zip_back(tmp_path):
    drawn, (_, moodle) = packed(tmp_path, WORKSHEET)

    with ZipFile(moodle) as archive:
        names = archive.namelist()
        first = archive.read(names[0])
    # Moodle splits at underscores, and wants the number second.
    assert [name.split("_")[:2] for name in names] == [
        ["Ada Lovelace", "4711"],
        ["Björn Müller", "4712"],
    ]
    own = (tmp_path / "hand_out" / f"{drawn.variants[0]}.zip").read_bytes()
    assert first == own
    assert ZipFile(io.BytesIO(first)).testzip() is None


def test_a_roster_without_moodles_numbers_gives_a_mail_merge_alone(tmp_path):
    _, files = packed(tmp_path, ROSTER)

    assert [file.name for file in files] == ["mail_merge.csv"]
