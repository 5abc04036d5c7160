# shellcheck shell=bash
# Functions for scripts that play against "prloop simulate --serve".

# world_begin BINARY LOG: serves the default story at a free port and sets
# rest, graphql, token, user_token, repository and events. world_end ends it.
world_begin() {
	local key value
	"$1" simulate --serve 127.0.0.1:0 >"$2" 2>&1 </dev/null &
	world_pid=$!
	# The last line of the answer is the events' folder, so wait for that one.
	for _ in $(seq 100); do
		grep -q '^events=' "$2" && break
		kill -0 "$world_pid" 2>/dev/null || break
		sleep 0.1
	done
	grep -q '^events=' "$2" || { echo "the world was not served:" >&2; cat "$2" >&2; return 1; }
	# shellcheck disable=SC2034 # The caller reads them.
	while IFS='=' read -r key value; do
		case $key in
		rest) rest=$value ;;
		graphql) graphql=$value ;;
		token) token=$value ;;
		user-token) user_token=$value ;;
		repository) repository=$value ;;
		events) events=$value ;;
		esac
	done <"$2"
}

world_end() {
	[ -n "${world_pid:-}" ] || return 0
	kill -INT "$world_pid" 2>/dev/null || true
	wait "$world_pid" 2>/dev/null || true
	world_pid=
}

# world_advance MINUTES: moves the clock; what falls due happens.
world_advance() { curl -fsS -X PUT "$rest/_/advance?minutes=$1" >/dev/null; }

# world_requests and world_writes: how many the server has seen.
world_requests() { curl -fsS "$rest/_/requests" | wc -l; }
world_writes() { curl -fsS "$rest/_/requests" | grep -c '"write":true' || true; }
