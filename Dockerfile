# The function's runtime image. Both bases must have the same Python 3.11 or newer at the same
# path, the first one with its venv module; so where other bases can be had:
#   docker build --build-arg BUILD_IMAGE=... --build-arg RUNTIME_IMAGE=... .
ARG BUILD_IMAGE=python:3.13-slim
ARG RUNTIME_IMAGE=python:3.13-slim

FROM ${BUILD_IMAGE} AS build

WORKDIR /build
COPY requirements/build.txt requirements/runtime.txt requirements/
# Two environments: what builds the function stays behind.
RUN python3 -m venv /tools \
 && /tools/bin/pip install --no-cache-dir --require-hashes --requirement requirements/build.txt \
 && python3 -m venv --without-pip /venv \
 && /tools/bin/pip --python /venv/bin/python install --no-cache-dir --only-binary :all: \
      --require-hashes --requirement requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY function function
RUN /tools/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /tools/bin/pip --python /venv/bin/python install --no-cache-dir --no-deps /wheels/*.whl \
 # The command-line tools are for people's own machines.
 && rm -r /venv/bin/civocluster /venv/lib/python3*/site-packages/function/cli

FROM ${RUNTIME_IMAGE}

# Compiled when it was installed: nothing is written when it runs, so the root may be read-only.
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
COPY --from=build /venv /venv
# As Crossplane runs it.
USER 2000:2000
EXPOSE 9443
ENTRYPOINT ["/venv/bin/function"]
