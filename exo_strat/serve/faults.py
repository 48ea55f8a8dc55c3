"""What a client is told when a request can't be done: a code for programs, a message for people, data for both."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from returns.result import Success

from ..ops.strategy import Outcome, State
from .refusals import refusal

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bad_arguments": "the Op does not take such arguments",
        "bad_file": "a file can't be read or run, or has no such Proc",
        "bad_json": "the line is no JSON object: other text, NaN, a number without end, a key said twice",
        "bad_object_code": "the text is no object code, or code that may go wrong",
        "bad_params": "the parameters of a request are not those of its method; `data.where` says which",
        "bad_request": "the object is no request",
        "bad_sizes": "the procedure can't be called with these sizes",
        "internal": "a mistake in this program: the session goes on as it was before the request",
        "interrupted": "a signal stopped the request",
        "no_plugin": "what is needed is not installed",
        "no_version": "nothing is open, or nothing was before this version",
        "not_compiled": "the backend can't compile this version",
        "not_savable": "the path can't be written as a file in Python",
        "out_of_memory": "the request took more memory than there is",
        "refused": "the rewrite is not proved to be right here; `data` says why",
        "timeout": "the request took longer than its `limit`",
        "too_deep": "the line, or the program, is nested too deeply",
        "too_long": "the line is too long",
        "unknown_cursor": "there is nothing at this place",
        "unknown_method": "there is no such method",
        "unknown_op": "there is no primitive or strategy of this name",
        "unknown_target": "there is no such target, or this processor can't run it",
        "unknown_version": "there is no version of this name, or it was forgotten",
        "wrong_protocol": "the client speaks another version of the protocol",
    }
)
"""The codes of errors, with what they mean."""


class Fault(Exception):
    """Ends a request with an error; the session stays as it was."""

    def __init__(self, code: str, message: str, /, **data: Any) -> None:
        super().__init__(f"{code}: {message}")
        assert code in CODES, code
        self.code, self.message, self.data = code, message, data

    def answer(self) -> dict[str, Any]:
        """The error as JSON.

        >>> Fault("unknown_version", "there is no version v7").answer()
        {'code': 'unknown_version', 'message': 'there is no version v7'}
        """
        return {"code": self.code, "message": self.message} | ({"data": self.data} if self.data else {})


def succeeded(outcome: Outcome) -> State:
    """The state to which an Op led. Raises a `Fault` with the reason if it was refused."""
    if isinstance(outcome, Success):
        state: State = outcome.unwrap()
        return state
    why = refusal(outcome.failure())
    raise Fault("refused", str(why["message"]), **why)
