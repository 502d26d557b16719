#!/usr/bin/env bash
# A real S3 server for tests: Ceph RGW with one monitor and one OSD on loopback, without systemd, root or authentication between them.
#
#   ceph.sh check                             exit code 3 and a message when the programs are not installed
#   ceph.sh up DIR S3PORT MONPORT [OWNER]     makes a cluster in DIR and waits until it answers; when the process OWNER ends, it goes
#   ceph.sh share DIR S3PORT MONPORT OWNER    the same for several processes that ask at once: one makes it; DIR/port says where it answers
#   ceph.sh kill DIR                          SIGKILL for all three
#   ceph.sh start DIR                         starts them again, and waits
#   ceph.sh down DIR                          kill, and remove DIR
#
# OSD_STORE=memstore (default) keeps objects in memory, OSD_STORE=bluestore on disk: only there they survive `kill`.
# Credentials: testkey / testsecret; region us-east-1; buckets are addressed path-style. Installs nothing:
#   apt-get install --no-install-recommends ceph-mon ceph-osd radosgw
set -eu
command=${1:?command}

if [ "$command" = check ]; then
  for program in ceph ceph-mon ceph-osd radosgw radosgw-admin monmaptool; do
    command -v "$program" >/dev/null || { echo "$program is not installed"; exit 3; }
  done
  exit 0
fi

D=${2:?directory}
export CEPH_CONF=$D/ceph.conf

is_alive() { # pid; a zombie is not
  local state
  state=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) || return 1
  [ "${state:0:1}" != Z ]
}
# Starts a daemon and waits until it answers; one that ends by itself (a port or a lock of its predecessor is not free yet) is started again.
bring_up() { # name, check, command…
  local name=$1 check=$2 deadline=$((SECONDS + 90)) pid=
  shift 2
  while [ "$SECONDS" -lt "$deadline" ]; do
    if [ -z "$pid" ] || ! is_alive "$pid"; then
      setsid "$@" </dev/null >>"$D/log/$name.out" 2>&1 &
      pid=$!
      echo "$pid" >"$D/$name.pid"
    fi
    # What answers must be the one that was started: its port may be another's.
    $check 2>/dev/null && is_alive "$pid" && return 0
    sleep 0.2
  done
  echo "$name did not come up; see $D/log" >&2
  exit 1
}
# Runs a command until it succeeds: a monitor that answers still refuses others for a moment.
eventually() { # command…
  local deadline=$((SECONDS + 30))
  until "$@" >>"$D/log/admin.out" 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || { echo "failed for half a minute: $*; see $D/log/admin.out" >&2; exit 1; }
    sleep 0.2
  done
}
end() {
  local name pid
  for name in rgw osd mon; do
    pid=$(cat "$D/$name.pid" 2>/dev/null) || continue
    kill -9 "$pid" 2>/dev/null || true
    while is_alive "$pid"; do sleep 0.05; done
    rm -f "$D/$name.pid"
  done
}
mon_answers() { timeout 5 ceph --connect-timeout 2 -s >/dev/null; }
osd_is_up() { timeout 5 ceph --connect-timeout 2 osd stat | grep -q '1 up'; }
rgw_answers() { # any HTTP answer will do; by bash alone
  local line
  exec 3<>"/dev/tcp/127.0.0.1/$(cat "$D/port")" || return 1
  printf 'GET / HTTP/1.0\r\n\r\n' >&3
  read -r -t 5 line <&3 || line=
  exec 3>&-
  [[ $line == HTTP/* ]]
}
start_mon() { bring_up mon mon_answers ceph-mon -i a -f; }
start_osd() { bring_up osd osd_is_up ceph-osd -i 0 -f; }
start_rgw() { bring_up rgw rgw_answers radosgw -n client.rgw -f; }

case $command in
  up)
    port=${3:?S3 port} monport=${4:?monitor port} owner=${5:-}
    mkdir -p "$D/mon" "$D/osd" "$D/run" "$D/log" "$D/rgw"
    echo "$port" >"$D/port"
    if [ -n "$owner" ]; then
      setsid bash -c "while kill -0 $owner && [ -d '$D' ]; do sleep 1; done; '$0' down '$D'" </dev/null >/dev/null 2>&1 &
    fi
    fsid=$(cat /proc/sys/kernel/random/uuid)
    cat >"$CEPH_CONF" <<C
[global]
fsid = $fsid
mon_host = v1:127.0.0.1:$monport
ms_bind_msgr2 = false
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
public_network = 127.0.0.0/8
ms_bind_ipv4 = true
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
auth_allow_insecure_global_id_reclaim = true
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_crit = 1
mon_data_avail_warn = 2
run_dir = $D/run
admin_socket = $D/run/\$name.\$pid.asok
pid_file = $D/run/\$name.pid
log_file = $D/log/\$name.log
crash_dir = $D/log
osd_objectstore = ${OSD_STORE:-memstore}
memstore_device_bytes = 4294967296
osd_memory_target = 939524096
osd_class_update_on_start = false
osd_crush_update_on_start = false
bluestore_block_size = 10737418240
osd_data = $D/osd
mon_data = $D/mon
rgw_data = $D/rgw
rgw_frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw_thread_pool_size = 64
rgw_gc_obj_min_wait = 60
rgw_enable_usage_log = false
C
    monmaptool --create --addv a "[v1:127.0.0.1:$monport]" --fsid "$fsid" "$D/monmap" --clobber >/dev/null
    ceph-mon -i a --mkfs --monmap "$D/monmap" >>"$D/log/mon.out" 2>&1
    start_mon
    ceph-osd -i 0 --mkfs --osd-uuid "$(cat /proc/sys/kernel/random/uuid)" >"$D/log/mkfs.out" 2>&1
    eventually ceph osd new "$(cat "$D/osd/fsid")"
    eventually ceph osd crush add osd.0 1.0 root=default host=localhost
    start_osd
    start_rgw
    radosgw-admin user create --uid=test --display-name=test --access-key=testkey --secret-key=testsecret \
      >/dev/null 2>>"$D/log/admin.out"
    ;;
  share)
    (
      flock 9
      # The daemons must not hold the lock.
      if ! { [ -e "$D/ready" ] && rgw_answers 2>/dev/null; }; then
        rm -rf "$D"
        "$0" up "$D" "${@:3}" 9>&-
        touch "$D/ready"
      fi
    ) 9>"$D.lock"
    ;;
  start)
    start_mon
    start_osd
    start_rgw
    ;;
  kill) end ;;
  down)
    end
    rm -rf "$D" "$D.lock"
    ;;
  *)
    echo "unknown command $command" >&2
    exit 2
    ;;
esac
