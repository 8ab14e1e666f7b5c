"""The community-overlap rule in other policy engines, for `docstore-bench`.

Prints one line an engine: what a decision takes when it is asked for from Python, what an empty decision
takes with the same data (the crossing), and the difference, which is the engine's own work. An engine that
is not installed is named with `skipped:`. Times are the process's own processor time, the median of the rounds.

The profiles are those of CommunityProfiles.swift in form and in size: every decision is another pair of reader
and owner, everything is parsed, compiled and converted beforehand, and the verdicts are checked.

Usage: policy_engines.py [decisions]
"""

import json
import statistics
import sys
import time

PEOPLE = 64
PAIRS = 128
ROUNDS = 7


def people():
    """Names and communities, from a fixed sequence."""
    state = 7
    result = []

    def below(bound):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        return (state >> 33) % bound

    for number in range(PEOPLE):
        own = {below(12) for _ in range(2 + below(4))}
        result.append((f"user_{1000 + number}", [f"area_{c}_of_london" for c in sorted(own)]))
    pairs = [(below(PEOPLE), below(PEOPLE)) for _ in range(PAIRS)]
    return result, pairs


def share(reader, owner):
    return reader[0] == owner[0] or bool(set(reader[1]) & set(owner[1]))


def profile(person):
    name, communities = person
    return {
        "id": name,
        "username": f"{name}#1234",
        "displayName": f"{name} of Askew Road",
        "bio": "Morning practice, mostly vinyasa.",
        "isProfilePublic": False,
        "privacySettings": {
            "isProfilePublic": False,
            "avatarPrivacy": "groups-only",
            "showJoinedGroups": "groups-only",
        },
        "joinedCommunities": communities,
        "level": 3,
    }


def nanoseconds(decide, cases, decisions):
    """Median of the rounds, for one decision."""
    passes = max(1, decisions // len(cases))
    for case in cases:
        decide(case)
    times = []
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        for _ in range(passes):
            for case in cases:
                decide(case)
        times.append((time.process_time_ns() - start) / (passes * len(cases)))
    return statistics.median(times)


def report(name, decide, empty, cases, expected, decisions):
    wrong = sum(decide(case) != wanted for case, wanted in zip(cases, expected))
    if wrong or not all(empty(case) for case in cases):
        print(f"{name}: failed: {wrong} of {len(cases)} verdicts are wrong")
        return
    whole = nanoseconds(decide, cases, decisions)
    crossing = nanoseconds(empty, cases, decisions)
    print(
        f"{name}: {whole - crossing:.0f} ns a decision, {whole:.0f} ns from Python "
        f"of which {crossing:.0f} ns are the crossing"
    )


OVERLAP = (
    "signedIn && (uid == owner.id"
    " || owner.privacySettings.avatarPrivacy == 'public'"
    " || (owner.privacySettings.avatarPrivacy == 'groups-only'"
    " && owner.joinedCommunities.exists(c, c in reader.joinedCommunities)))"
)


def variables(reader, owner):
    return {"signedIn": True, "uid": reader[0], "owner": profile(owner), "reader": profile(reader)}


def cel_rust(everyone, pairs, expected, decisions):
    import cel

    program, empty = cel.compile(OVERLAP), cel.compile("true")
    cases = [cel.Context(variables=variables(everyone[r], everyone[o])) for r, o in pairs]
    report(
        "CEL in Rust (common-expression-language)", lambda case: program.execute(case),
        lambda case: empty.execute(case), cases, expected, decisions,
    )


def cel_cpp(everyone, pairs, expected, decisions):
    from cel_expr_python import cel

    kinds = {"signedIn": cel.Type.BOOL, "uid": cel.Type.STRING, "owner": cel.Type.DYN, "reader": cel.Type.DYN}
    env = cel.NewEnv(variables=kinds)
    program, empty = env.compile(OVERLAP), env.compile("true")
    cases = [env.Activation(data=variables(everyone[r], everyone[o])) for r, o in pairs]
    report(
        "CEL in C++ (cel-expr-python)", lambda case: program.eval(case).value(),
        lambda case: empty.eval(case).value(), cases, expected, decisions,
    )


def cedar(everyone, pairs, expected, decisions):
    import cedarpy

    policies = cedarpy.PolicySet.from_str(
        """
        permit(principal, action == Action::"get", resource) when {
          resource.owner == principal || resource.avatarPrivacy == "public"
            || (resource.avatarPrivacy == "groups-only"
                && principal.joinedCommunities.containsAny(resource.joinedCommunities))
        };
        """
    )
    empty = cedarpy.PolicySet.from_str("permit(principal, action, resource);")

    def entity(kind, name, attributes):
        return {"uid": {"type": kind, "id": name}, "attrs": attributes, "parents": []}

    cases = []
    for r, o in pairs:
        reader, owner = everyone[r], everyone[o]
        attributes = {
            "owner": {"__entity": {"type": "User", "id": owner[0]}},
            "avatarPrivacy": "groups-only",
            "joinedCommunities": owner[1],
            "displayName": f"{owner[0]} of Askew Road",
        }
        entities = cedarpy.Entities.from_json_str(
            json.dumps(
                [
                    entity("User", reader[0], {"joinedCommunities": reader[1]}),
                    entity("Profile", owner[0], attributes),
                ]
            )
        )
        request = {
            "principal": f'User::"{reader[0]}"', "action": 'Action::"get"', "resource": f'Profile::"{owner[0]}"',
            "context": {},
        }
        cases.append((request, entities))
    report(
        "Cedar in Rust (cedarpy)", lambda case: cedarpy.is_authorized(case[0], policies, case[1]).allowed,
        lambda case: cedarpy.is_authorized(case[0], empty, case[1]).allowed, cases, expected, decisions // 4,
    )


def main():
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    everyone, pairs = people()
    expected = [share(everyone[r], everyone[o]) for r, o in pairs]
    for engine, package in ((cedar, "cedarpy"), (cel_rust, "common-expression-language"), (cel_cpp, "cel-expr-python")):
        try:
            engine(everyone, pairs, expected, decisions)
        except ImportError as problem:
            print(f"{package}: skipped: {problem}")


if __name__ == "__main__":
    main()
