# The action's image: one static binary and the CA roots, no shell. It runs as
# root and sets no working directory, as GitHub asks of a container action
# (https://docs.github.com/en/actions/reference/workflows-and-actions/dockerfile-support).

# A release names the builder by digest: --build-arg BUILDER=…@sha256:…
ARG BUILDER=docker.io/library/golang:1.26.8
FROM ${BUILDER} AS build
WORKDIR /src

# The modules change seldom, so they have a layer of their own.
COPY go.mod go.sum ./
RUN go mod download

# .dockerignore lets in what the binary is made of and nothing else.
COPY . .
# What "prloop simulate" plays, and plays it on, is five times smaller packed.
RUN gzip -9 internal/githubtest/schema.graphql
RUN cd testdata/scenarios && for s in *.txtar; do echo "==== $s"; cat "$s"; rm "$s"; done | gzip -9 >stories.gz
# prloop asks one thing after the other, so HTTP/2 would be half a megabyte for
# nothing; and a step waits for GitHub, not for itself, so inlining and the gaps
# between functions would be more than one.
RUN CGO_ENABLED=0 go build -trimpath -tags=nethttpomithttp2 -ldflags="-s -w -funcalign=1" -gcflags=all=-l -o /prloop .

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /prloop /prloop
ENTRYPOINT ["/prloop"]
