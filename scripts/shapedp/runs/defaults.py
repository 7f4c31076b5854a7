"""What every rule has and none needs to say: a log, a benchmark, a message, an environment.

Snakemake has no defaults for these, and `use rule ... with` passes on neither a docstring nor a script. So the
Snakefile gives a rule, once all are declared, what it did not say itself.
"""

import re


def complete(rules, folder, environment):
    """Give the rules declared in `folder` (not those of a workflow that uses it as a module) what they left unsaid."""
    for rule in rules:
        if not rule.norun and not rule.log and str(rule.snakefile).startswith(str(folder)):
            _complete(rule, environment)


def _complete(rule, environment):
    rule.log_modifier = rule.benchmark_modifier = rule.ruleinfo.path_modifier
    rule.set_log(f"results/private/logs/{job(rule)}.log")
    if rule.output:  # else Snakemake takes the benchmark for an output, and what has one for done
        rule.benchmark = f"results/private/benchmarks/{job(rule)}.tsv"
    rule.message = rule.message or rule.docstring.strip().splitlines()[0].rstrip(".")
    rule.conda_env = str(environment)


def job(rule):
    """`rule/{wildcard}/{wildcard}`: what tells a job from the others, in the order of its first output's path."""
    names = re.findall(r"\{(\w+)", str(rule.output[0])) if rule.output else []
    return "/".join([rule.name, *(f"{{{name}}}" for name in dict.fromkeys(names))])
