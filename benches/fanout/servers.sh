# What `run` and `run-hub` share: they source it. `temporary`, `made` and `versions` are theirs.

# Without it, bash runs the trap of `EXIT` within the signal's handler, where `wait` can hang.
trap 'exit 1' INT TERM

# start PORT COMMAND... : starts a server in the temporary folder, with the log `PORT.log`. Waits until it accepts
# connections, and stores its PID in `started`. Each server has its own process group, which is ended as a whole.
start() {
    local port=$1
    shift
    (cd "$temporary" && exec setsid "$@") >"$temporary/$port.log" 2>&1 &
    started=$!
    for _ in {1..100}; do
        sleep 0.1
        kill -0 "$started" 2>/dev/null || break
        ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
}

# stop PID
stop() {
    kill -TERM -- "-$1" 2>/dev/null || true
    for _ in {1..100}; do
        kill -0 -- "-$1" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL -- "-$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# Unpacks nginx with nchan, and stores the command that starts it in `nginx`. `made` gets the folders that have to be
# removed. If it fails, `why` is the reason.
#
# The packages are not installed, so that Debian does not start nginx on all addresses. Without their folder nchan does
# not start, even if the configuration names others.
get_nginx() {
    why='nginx and nchan of Debian cannot be downloaded'
    { ((EUID != 0)) || timeout 120 apt-get update -q; } || return
    (cd "$temporary" && timeout 120 apt-get download -q nginx libnginx-mod-nchan &&
        for package in *.deb; do dpkg-deb -x "$package" debian || exit; done) || return
    why='nginx does not start'
    [[ -d /var/lib/nginx ]] || { mkdir /var/lib/nginx && made+=(/var/lib/nginx); } || return
    nginx=("$temporary/debian/usr/sbin/nginx" -g "load_module $temporary/debian/usr/lib/nginx/modules/ngx_nchan_module.so;")
    versions+=("nchan $(dpkg-deb -f "$temporary"/libnginx-mod-nchan_*.deb Version)"
        "nginx $(dpkg-deb -f "$temporary"/nginx_*.deb Version) (Debian)")
}
