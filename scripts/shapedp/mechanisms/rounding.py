"""How far rounding moves a mean of logarithms of unit vectors: part of the sensitivity of the pure mechanisms.

u = 2^-53. A sum of n products in any order is off by at most sqrt(2) (n + 2) u times the sum of their sizes (Higham,
Accuracy and Stability of Numerical Algorithms, 3.1 and 3.6; sqrt(2) for complex numbers), and what is summed here is
below t/sin t <= 1.2 for t <= π/4. The gradient is the difference of two such sums over n: together less than 4 (n + 2)
u. Each of its terms comes from an inner product of k numbers, off by sqrt(2) (k + 2) u, through functions of it whose
slopes are below 2: less than 12 (k + 4) u with their own roundings and those of the point.

Proof: docs/mathematics.md, (4.3).
"""

U = 2.0**-53
SHARE = 1e-6  # of epsilon, kept for the rounding of densities


def spent(epsilon):
    """epsilon for the noise of a pure mechanism, a little less than is recorded: the rest covers rounding."""
    return epsilon * (1 - SHARE)


def of_gradient(n, k):
    """Bound on the error of the gradient's norm: mean of n logarithms of vectors of k complex numbers, unit length."""
    return U * (4 * (n + 2) + 12 * (k + 4))
