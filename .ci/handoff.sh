# shellcheck shell=bash
# handoff plays examples/handoff-command.yml in act, from the event to the
# report: a stand-in fixer edits, commits and pushes to a bare repository, whose
# hook tells the embedded GitHub of the push. The caller is .ci/container, with
# its functions and variables.

handoff() {
	world_end
	world_begin "$dir/prloop" "$dir/world.log"
	last='' next=''
	rm -rf "$dir/handoff"
	mkdir -p "$dir/handoff"
	handoff_runner
	handoff_repository
	handoff_checkout
	local began
	began=$(git -C "$dir/handoff/origin.git" rev-parse parser)
	world_push "$began"

	# The checks of this head are green: Copilot is asked, and finds two things.
	# No fixer is started, so there is no report.
	until_event workflow_run
	handoff_run workflow_run
	handoff_job fixer && fail "a fixer was started without work"
	until_event pull_request_review
	handoff_run pull_request_review

	# From here on it was one run: handed over, fixed, pushed, reported, answered.
	local job pushed
	for job in step fixer report; do
		handoff_job "$job" || fail "the job $job did not succeed"
	done
	pushed=$(git -C "$dir/handoff/origin.git" rev-parse parser)
	[ "$pushed" != "$began" ] || fail "the fixer pushed nothing"
	[ "$(git -C "$dir/handoff/origin.git" rev-parse parser^)" = "$began" ] || fail "the push is not one commit on top of the head"
	git -C "$dir/handoff/origin.git" show -s --format=%B parser | grep -q '^Prloop-Handoff: 1$' || fail "the commit has no trailer of the hand-over"
	world_threads >"$dir/handoff/threads.json"
	jq -e --arg commit "${pushed:0:7}" '
		length == 2 and all(.isResolved) and
		([.[] | .comments.nodes[-1].body | contains($commit)] | any)' "$dir/handoff/threads.json" >/dev/null ||
		{ cat "$dir/handoff/threads.json" >&2; fail "the threads are not all answered and resolved"; }
	echo "examples/handoff-command.yml ran from event to report in act; the fixer pushed ${pushed:0:7}, and both threads are answered and resolved"
}

# world_push SHA [PATH…]: tells the world of a push to the pull request.
world_push() { curl -fsS -X PUT "$rest/_/push?pr=7&head=$1" >/dev/null; }

# world_threads: the review threads of the pull request, as the API has them.
world_threads() {
	jq -n --arg owner "${repository%/*}" --arg name "${repository#*/}" '{
		query: "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { pullRequest(number: 7) { reviewThreads(first: 50) { nodes { isResolved comments(first: 50) { nodes { body } } } } } } }",
		variables: {owner: $owner, name: $name}}' |
		curl -fsS -H "Authorization: Bearer $token" --data-binary @- "$graphql" |
		jq '.data.repository.pullRequest.reviewThreads.nodes'
}

# handoff_runner adds git, curl and jq to the runner's image: the example
# needs what ubuntu-latest has.
handoff_runner() {
	local tree=$dir/handoff/tree tool
	mkdir -p "$tree/usr/lib/git-core"
	for tool in git curl jq; do
		cp --parents -L "$(command -v "$tool")" "$tree"
		ldd "$(command -v "$tool")" | grep -oE '/[^ ]+' | xargs -I{} cp --parents -L {} "$tree"
	done
	for tool in git-upload-pack git-receive-pack; do
		ln -s "$(command -v git)" "$tree/usr/lib/git-core/$tool"
	done
	tar -C "$tree" -c . >"$dir/handoff/tree.tar"
	printf 'FROM %s\nADD tree.tar /\n' "$runner_image" |
		podman build --pull=never -t "$handoff_image" -f - "$dir/handoff" >"$dir/handoff/build.log" 2>&1 ||
		{ cat "$dir/handoff/build.log" >&2; fail "the runner with git could not be built"; }
}
handoff_image=localhost/runner-git:latest

# handoff_repository makes the bare repository that has the branch of the pull
# request, with two real mistakes and the fixer.
handoff_repository() {
	local tree=$dir/handoff/work bare=$dir/handoff/origin.git
	git init -q -b parser "$tree"
	mkdir "$tree/scripts"
	for file in parser lexer; do
		printf '// line %s\n' $(seq 50) | sed "12s/.*/f.Close()/; 40s/.*/for { skip() }/" >"$tree/$file.go"
	done
	cat >"$tree/scripts/fixer" <<-'FIXER'
		#!/usr/bin/env bash
		# Fixes the first finding and declines the others.
		set -euo pipefail
		first=$(jq -r '.findings[0].id' "$BRIEF")
		path=$(jq -r '.findings[0].path' "$BRIEF")
		line=$(jq -r '.findings[0].line' "$BRIEF")
		sed -i "${line}s/.*/if err := f.Close(); err != nil { return err }/" "$path"
		git add -- "$path"
		git -c user.name=mona -c user.email=mona@example.com commit -q -m "$(jq -r .commitMessage "$BRIEF")" -m "$(jq -r .trailer "$BRIEF")"
		git push -q origin "HEAD:refs/heads/$BRANCH"
		jq --arg head "$(git rev-parse HEAD)" --arg first "$first" --arg path "$path" '{
		  handoff, step, head: $head, status: "complete",
		  items: [.findings[] | if .id == $first
		    then {finding: .id, action: "fix", commit: $head, files: [$path], rationale: "The error is returned now. The caller closes nothing twice."}
		    else {finding: .id, action: "decline", rationale: "The loop ends where the input ends. An empty line is input as well."} end],
		  checks: [{cmd: "true", exit: 0}]}' "$BRIEF" >"$REPORT"
	FIXER
	chmod +x "$tree/scripts/fixer"
	git -C "$tree" add -A
	git -C "$tree" -c user.name=mona -c user.email=mona@example.com commit -q -m "Add a parser"
	git clone -q --bare "$tree" "$bare"
	cat >"$bare/hooks/post-receive" <<-HOOK
		#!/bin/bash
		while read -r old new ref; do
			[ "\$ref" = refs/heads/parser ] || continue
			query="pr=7&head=\$new"
			for path in \$(git diff --name-only "\$old" "\$new"); do query="\$query&path=\$path"; done
			curl -fsS -X PUT "$rest/_/push?\$query" >/dev/null
		done
	HOOK
	chmod +x "$bare/hooks/post-receive"
}

# handoff_checkout stands in for actions/checkout, which needs node and
# GitHub's own git server.
handoff_checkout() {
	mkdir -p "$dir/handoff/actions-checkout"
	cat >"$dir/handoff/actions-checkout/action.yml" <<-'ACTION'
		name: checkout
		description: stands in for actions/checkout
		inputs:
		  ref: {required: true}
		  token: {required: true}
		  persist-credentials: {default: "true"}
		runs:
		  using: composite
		  steps:
		    - shell: bash
		      env:
		        REF: ${{ inputs.ref }}
		        TOKEN: ${{ inputs.token }}
		      run: |
		        [ -n "$TOKEN" ] || { echo "no token for the checkout"; exit 1; }
		        git clone -q --no-checkout /origin.git .
		        git checkout -q --detach "$REF"
	ACTION
	git -C "$dir/handoff/actions-checkout" init -q
	git -C "$dir/handoff/actions-checkout" add -A
	git -C "$dir/handoff/actions-checkout" -c user.name=octocat -c user.email=octocat@example.com commit -q -m "stand-in"
}

# handoff_run EVENT: runs the example for the event that until_event found.
handoff_run() {
	local file=$next n
	n=$(basename "$file")
	last=$((10#${n%%-*}))
	next=
	handoff_runs=$((${handoff_runs:-0} + 1))
	DOCKER_HOST=unix://$dir/podman.sock XDG_CACHE_HOME=$dir/cache "$dir/bin/act" "$1" \
		--directory "$dir/checkout" -W examples/handoff-command.yml -e "$file" \
		-P ubuntu-latest="$handoff_image" --container-daemon-socket - --pull=false \
		--container-options "-v $dir/handoff/origin.git:/origin.git" \
		--local-repository "prloop/prloop@v1=$dir/checkout" \
		--local-repository "actions/checkout@v6=$dir/handoff/actions-checkout" \
		--env GITHUB_API_URL="$rest" --env GITHUB_GRAPHQL_URL="$graphql" --env GITHUB_RUN_ID="$((8000 + handoff_runs))" \
		-s GITHUB_TOKEN="$token" -s PRLOOP_USER_TOKEN="$user_token" -s PRLOOP_PUSH_TOKEN=a-token-of-monas \
		>"$dir/act.log" 2>&1 </dev/null || fail "act ended with $? on $(basename "$file")"
}

# handoff_job NAME: whether the job ran and succeeded.
handoff_job() { grep -qE "^\[[^]]*/$1 *\].*Job succeeded" "$dir/act.log"; }
