"""How well Markov chains have mixed: split R-hat and effective sample size of a scalar.

Written by hand, twenty lines, rather than bring in a package for Bayesian analysis. Gelman et al., Bayesian Data
Analysis, 3rd ed., section 11.4 and 11.5.
"""

import numpy as np


def split_rhat(x):
    """sqrt(((N - 1)/N W + B/N) / W) over half chains of N draws; x : (chains, draws)."""
    halves = _halves(x)
    n = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean()
    between = n * halves.mean(axis=1).var(ddof=1)
    return float(np.sqrt((n - 1) / n + between / (n * within)))


def effective_size(x):
    """mN / (1 + 2 sum of autocorrelations), summed in pairs while positive (Geyer); x : (chains, draws)."""
    halves = _halves(x)
    m, n = halves.shape
    centered = halves - halves.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centered, 2 * n, axis=1)) ** 2
    covariance = np.fft.irfft(power, axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    total = within * (n - 1) / n + halves.mean(axis=1).var(ddof=1)
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1.0
    pairs = correlation[: n - n % 2].reshape(-1, 2).sum(axis=1)
    end = np.argmax(pairs < 0) if (pairs < 0).any() else len(pairs)
    return float(m * n / max(2 * pairs[:end].sum() - 1, 1 / np.log10(max(m * n, 10))))


def _halves(x):
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])
