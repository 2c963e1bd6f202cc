"""The composition function: decode the request, compose, respond."""

import traceback
from typing import Any

import grpc
from crossplane.function import logging, response
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1

from function import diagnostics, immutable, plan, readiness, status, structs
from function.api import SPEC_FIELDS, CivoCluster
from function.composed import kinds
from function.observed import Observed
from function.violations import InvalidError, shown

# Longer than any name.
_LOGGED_MAX = 253


class FunctionRunner(grpcv1.FunctionRunnerServiceServicer):
    """Serves RunFunction calls. It keeps no state, reads no clock and calls nobody."""

    def __init__(self) -> None:
        """Create a runner that logs as the SDK is configured to."""
        self._log = logging.get_logger()

    async def RunFunction(  # noqa: N802 - the name that gRPC calls
        self,
        request: fnv1.RunFunctionRequest,
        context: grpc.aio.ServicerContext[fnv1.RunFunctionRequest, fnv1.RunFunctionResponse] | None,
    ) -> fnv1.RunFunctionResponse:
        """Compose the resources of the CivoCluster in a request.

        Returns:
            The desired state of the request with ours added; or, where the XR is invalid or our
            own code fails, the desired state untouched and one FATAL result, on which Crossplane
            changes nothing. It never raises.
        """
        del context
        log = self._log.bind(tag=_loggable(request.meta.tag))
        try:
            xr = _composite(request)
            log = log.bind(**{field: _loggable(value) for field, value in xr["metadata"].items()})
            answer = _answer(request, xr)
        except InvalidError as error:
            log.info("The CivoCluster is invalid", violations=len(error.violations))
            log.debug("Violations", violations=str(error))
            return _fatal(request, "InvalidCivoCluster", f"the CivoCluster is invalid:\n{error}")
        except Exception as error:
            # As text: the SDK's own rendering of an exception prints local variables, and the
            # request among them can hold connection details.
            log.error("Unexpected error", traceback=traceback.format_exc())  # noqa: TRY400
            message = (
                f"unexpected {type(error).__name__} in the function; nothing was changed. "
                "The function's log has the traceback: please report it"
            )
            return _fatal(request, "UnexpectedError", message)
        composed = answer.desired.resources
        log.info(
            "Composed",
            resources=len(composed),
            ready=sum(one.ready == fnv1.READY_TRUE for one in composed.values()),
        )
        return answer


def _composite(request: fnv1.RunFunctionRequest) -> dict[str, Any]:
    """Return of the XR what is parsed, as plain values.

    That is the smaller part of it: managedFields, and Crossplane's references to everything that
    is composed, are the larger.
    """
    composite = request.observed.composite.resource
    metadata = structs.object_at(composite, "metadata")
    spec = structs.object_at(composite, "spec")
    return {
        "metadata": structs.pick(metadata, ("namespace", "name")),
        # What is no object is refused as it is.
        "spec": structs.pick(spec, SPEC_FIELDS) or structs.dig(composite, "spec") or {},
    }


def _answer(
    request: fnv1.RunFunctionRequest, composite: dict[str, Any]
) -> fnv1.RunFunctionResponse:
    xr = CivoCluster.parse(composite)
    observed = Observed(request.observed)
    if changed := list(immutable.changed(xr, observed)):
        raise InvalidError(changed)

    answer = response.to(request)
    for name, composed in kinds.checked(plan.compose(xr, observed)).items():
        desired = answer.desired.resources[name]
        structs.update(desired.resource, composed)
        if readiness.ready(name, observed):
            desired.ready = fnv1.READY_TRUE
    # Field by field: an earlier function in the pipeline may have set others.
    composite_status = answer.desired.composite.resource.get_or_create_struct("status")
    structs.update(composite_status, status.build(xr, observed))
    response.set_conditions(answer, *diagnostics.conditions(xr, observed))
    for trouble in diagnostics.warnings(xr, observed):
        answer.results.append(
            fnv1.Result(
                severity=fnv1.SEVERITY_WARNING, message=trouble.message, reason=trouble.reason
            )
        )
    return answer


def _loggable(value: Any) -> str:
    """Return a name as it is, and what can't be one in a form that is safe to log."""
    is_name = isinstance(value, str) and value.isprintable() and len(value) <= _LOGGED_MAX
    return value if is_name else shown(value)


def _fatal(request: fnv1.RunFunctionRequest, reason: str, message: str) -> fnv1.RunFunctionResponse:
    """Return the request's desired state untouched and one FATAL result."""
    answer = response.to(request)
    answer.results.append(fnv1.Result(severity=fnv1.SEVERITY_FATAL, message=message, reason=reason))
    return answer
