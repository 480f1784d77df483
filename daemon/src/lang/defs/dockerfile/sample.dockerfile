# syntax=docker/dockerfile:1
ARG VERSION=1.0
# Builds it.
FROM --platform=$BUILDPLATFORM rust:1.90 AS build
WORKDIR /src
COPY . .
RUN cargo build \
    --release
RUN <<EOF
FROM not a stage
EOF

from debian:stable-slim as base
ENV PATH="/app:$PATH" \
    LANG=C
LABEL from="x"

FROM base
COPY --from=build /src/app /app
ENTRYPOINT ["/app"]
