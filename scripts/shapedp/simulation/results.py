"""The simulated replicates of all jobs, gathered: blocks of one setting put together in their order."""

import json

import numpy as np

from shapedp import artifacts


class Results:
    """Read-only: {(experiment, setting): {method: values (R,)}}; a setting is given by its names and values."""

    def __init__(self, paths):
        parts = {}
        for path in sorted(map(str, paths)):
            for record in artifacts.records(path, artifacts.SIMULATION):
                key = (record["experiment"], record["setting"])
                parts.setdefault(key, {})[record["block"]] = dict(
                    zip(record["methods"], np.asarray(record["values"]), strict=True)
                )
        self._values = {key: _joined(blocks) for key, blocks in parts.items()}

    def __contains__(self, experiment):
        return any(name == experiment for name, _ in self._values)

    def settings(self, experiment, **fixed):
        """The settings of an experiment, as dictionaries, that have these values."""
        found = [json.loads(setting) for name, setting in self._values if name == experiment]
        return [one for one in found if all(one.get(key) == value for key, value in fixed.items())]

    def methods(self, experiment, **setting):
        """{method: values (R,)} of one setting."""
        return self._values[experiment, text(setting)]

    def values(self, experiment, method, **setting):
        """The replicates (R,) of one method."""
        return self.methods(experiment, **setting)[method]

    def series(self, experiment, method, along, power=1, **fixed):
        """x, mean and standard error of value^power, in rising order of the setting `along`."""
        places = sorted(one[along] for one in self.settings(experiment, **fixed))
        rows = [summary(self.values(experiment, method, **fixed, **{along: x}) ** power) for x in places]
        return np.array(places, dtype=float), *np.array(rows).T


def summary(values):
    """Mean and its standard error (nan for a single value)."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(np.mean(values)), float(error)


def saved(values, baseline):
    """1 - mean(values) / mean(baseline), and its standard error for independent samples (delta method)."""
    (a, sa), (b, sb) = summary(values), summary(baseline)
    return 1 - a / b, a / b * np.hypot(sa / a, sb / b)


def text(setting):
    """A setting as the text that is stored and looked up."""
    return json.dumps(setting, sort_keys=True)


def _joined(blocks):
    ordered = [blocks[number] for number in sorted(blocks)]
    return {method: np.concatenate([one[method] for one in ordered]) for method in ordered[0]}
