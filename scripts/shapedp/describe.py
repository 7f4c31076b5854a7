"""What an artifact holds, in words; and the table of all artifacts for the README."""

from shapedp import artifacts
from shapedp.errors import ArtifactError


def describe(path):
    """Lines that say what one file holds: kind, fields with unit and meaning, records and rejections, provenance."""
    name, version, digest = artifacts.header(path)
    if name not in artifacts.KINDS:
        raise ArtifactError(f"{path}: holds '{name}', which this shapedp does not know; use the one that wrote it")
    kind = artifacts.KINDS[name]
    with artifacts.reader(path, kind) as source:
        yield f"{path}: {kind.name}, version {version}: {kind.meaning}"
        yield f"digest {digest}"
        yield f"written by shapedp {source.provenance['shapedp']} from {_inputs(source)}"
        if kind.records:
            yield from _records(list(source))
        for field, declared in kind.fields.items():
            yield f"  {field:20s} {declared.dtype:5s} {_shape(declared):16s} {declared.unit:20s} {declared.meaning}"


def _inputs(source):
    return ", ".join(source.provenance["inputs"]) or "no artifact"


def _records(records):
    rejected = [record for record in records if record.rejected]
    yield f"{len(records)} records, {len(rejected)} rejected"
    for record in rejected:
        yield f"  {record.name}: rejected in {record.stage} ({record.code}): {record.reason}"


def _shape(field):
    return "(" + ", ".join(map(str, field.shape)) + ")"


def table():
    """All artifacts as a Markdown table, for the README."""
    yield "| artifact | holds | fields |"
    yield "| --- | --- | --- |"
    for kind in artifacts.KINDS.values():
        each = " (each face)" if kind.records else ""
        fields = ", ".join(f"`{name}` {_shape(field)}" for name, field in kind.fields.items())
        yield f"| `{kind.name}` v{kind.version} | {kind.meaning}{each} | {fields} |"
