"""Every mistake has a class of its own: what happened, `Detail:` where, `Hint:` what to do."""

from __future__ import annotations


class OnefoldError(Exception):
    """Any error that onefold raises on purpose."""

    def __init__(self, what: str, *, detail: str = "", hint: str = "") -> None:
        self.what, self.detail, self.hint = what, detail, hint
        lines = [what]
        lines += [f"  Detail: {detail}"] if detail else []
        lines += [f"  Hint: {hint}"] if hint else []
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.detail, self.hint)


def _rebuild(kind: type[OnefoldError], what: str, detail: str, hint: str) -> OnefoldError:
    return kind(what, detail=detail, hint=hint)


class PlanError(OnefoldError):
    """A mistake in a pipeline, found while it is built."""


class BadDuration(PlanError):
    """A duration that can't be read, or that is too short for where it stands."""


class BadType(PlanError):
    """A tuple type that can't be read."""


class ReservedName(PlanError):
    """An attribute called `time`: every tuple has one already, its event time."""


class UnknownAttribute(PlanError):
    """A key names an attribute that the stream does not have."""


class BadKey(PlanError):
    """A key that is neither a list of attributes nor a function, or not one for each side."""


class WrongArity(PlanError):
    """A function that can't be called with the arguments its operator hands it."""


class TypeMismatch(PlanError):
    """Streams of different types where one type is needed."""


class SizeBelowAdvance(PlanError):
    """Windows with gaps between them: a tuple could fall in none."""


class BadName(PlanError):
    """A name that a source can't have."""


class SourceNamedTwice(PlanError):
    """Two sources of one name: an input could not tell which it feeds."""


class NotALoop(PlanError):
    """A loop whose body is not one Aggregate over the looping stream (P3)."""


class LoopTooShort(PlanError):
    """A loop whose lateness does not cover the distance between watermarks (C1, theorem 3)."""


class LoopRunsAhead(PlanError):
    """A loop over overlapping windows whose watermark may pass a tuple that is to come round."""


class BadCount(PlanError):
    """A number that is not a whole one, or too small for where it stands."""


class NoLateStream(PlanError):
    """The late stream of something that drops nothing."""


class NotAStream(PlanError):
    """Something else where a stream was expected."""


class UnknownImplementation(PlanError):
    """An implementation that is none of dedicated, aggregate, aggregate-plus."""


class RunError(OnefoldError):
    """A mistake that only shows when tuples flow."""


class FunctionFailed(RunError):
    """A user's function raised, or returned what its operator can't take."""


class MistypedTuple(RunError):
    """A tuple whose values do not fit the type of its stream."""


class UnknownSource(RunError):
    """Input for a source that the pipeline does not have, or none for one that it has."""


class LoopNeverEnds(RunError):
    """A loop that went round more often than its limit without coming to rest."""


class LoopBroken(RunError):
    """A tuple came round a loop too late: C2 does not hold. A mistake in onefold itself."""


class StateNotPicklable(RunError):
    """A state of a stateful operator that can't be carried from period to period."""


class StreamEnded(RunError):
    """Input after the end of the stream."""


class EngineStopped(RunError):
    """An engine that an error has stopped: what was on its way is lost with it."""


class BadSnapshot(RunError):
    """A snapshot taken from another plan."""
