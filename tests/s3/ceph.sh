#!/usr/bin/env bash
# A real S3 server for tests: Ceph RGW with one monitor and one OSD on loopback, without systemd, root or authentication between them.
#
#   ceph.sh check                             exit code 3 and a message when the programs are not installed
#   ceph.sh up DIR S3PORT MONPORT [OWNER]     makes a cluster in DIR and waits until it answers; when the process OWNER ends, it goes
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

wait_for() { # seconds, what, command…
  local tries=$(($1 * 5)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo "$what did not come up; see $D/log" >&2; exit 1; }
    sleep 0.2
  done
}
daemon() { # name, command…
  local name=$1
  shift
  setsid "$@" </dev/null >>"$D/log/$name.out" 2>&1 &
  echo $! >"$D/$name.pid"
}
end() {
  local name
  for name in rgw osd mon; do
    [ -f "$D/$name.pid" ] && kill -9 "$(cat "$D/$name.pid")" 2>/dev/null
    rm -f "$D/$name.pid"
  done
  return 0
}
osd_is_up() { ceph osd stat 2>/dev/null | grep -q '1 up'; }
answers() { # by bash alone: any HTTP answer will do
  exec 3<>"/dev/tcp/127.0.0.1/$(cat "$D/port")" || return 1
  printf 'GET / HTTP/1.0\r\n\r\n' >&3
  read -r -t 5 line <&3 && [[ $line == HTTP/* ]]
}
start_osd() {
  daemon osd ceph-osd -i 0 -f
  local i
  for i in $(seq 150); do
    osd_is_up && return 0
    # The first start of an OSD may end by itself.
    kill -0 "$(cat "$D/osd.pid")" 2>/dev/null || daemon osd ceph-osd -i 0 -f
    sleep 0.2
  done
  echo "the OSD did not come up; see $D/log" >&2
  exit 1
}
start_rgw() {
  daemon rgw radosgw -n client.rgw -f
  wait_for 60 'the gateway' bash -c "$(declare -f answers); D=$D; answers"
}

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
    daemon mon ceph-mon -i a -f
    wait_for 60 'the monitor' ceph --connect-timeout 2 -s
    ceph-osd -i 0 --mkfs --osd-uuid "$(cat /proc/sys/kernel/random/uuid)" >"$D/log/mkfs.out" 2>&1
    ceph osd new "$(cat "$D/osd/fsid")" >/dev/null
    ceph osd crush add osd.0 1.0 root=default host=localhost >/dev/null 2>&1
    start_osd
    start_rgw
    radosgw-admin user create --uid=test --display-name=test --access-key=testkey --secret-key=testsecret \
      >/dev/null 2>"$D/log/admin.out"
    ;;
  start)
    daemon mon ceph-mon -i a -f
    wait_for 60 'the monitor' ceph --connect-timeout 2 -s
    start_osd
    start_rgw
    ;;
  kill) end ;;
  down)
    end
    rm -rf "$D"
    ;;
  *)
    echo "unknown command $command" >&2
    exit 2
    ;;
esac
