# docker build --tag manifestkit . && docker run --rm --volume "$PWD:/work" manifestkit lint
FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory '*'
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/manifestkit-*.whl)[publish]" && useradd manifest
USER manifest
WORKDIR /work
ENTRYPOINT ["manifest"]
