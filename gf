#!/bin/sh
# gf: runs Gridfarm from a checkout (building it first where sources are newer than the build) or from an installation.
#
#   GF_JAVA_HOME  the JDK to use (25 or newer); otherwise JAVA_HOME, PATH and the usual folders are searched
#   GF_MVN        the mvn to build with; otherwise PATH and the usual folders
#   GF_HEAP       heap of a daemon, such as 2g (256m)
#   GF_JAVA_OPTS  further options for the JVM, such as -Dgf.log.level=DEBUG or -Dgf.log.format=json; also for the daemons of a farm that
#                 "gf cluster start" makes, and for mounts
#   GF_BUILD      "never" runs what is built without looking at the sources
#   GF_REHEARSAL  "no" builds without the small farm that start-up caches are made of: 50 s sooner, and slower daemons
#
# Exit status 69: a JDK or Maven is missing; 70: the build failed; 73: nowhere to build. Every other one is the command's.
set -u

# The JDK tells what the local file system refused by the words of the C library: in English, whatever language is spoken here.
[ -z "${LC_ALL:-}" ] || export LANG="$LC_ALL"
unset LC_ALL
export LC_MESSAGES=C
# It reads paths and words in the locale's charset: in UTF-8 here, and Gridfarm reads the bytes of what is none by itself.
export LC_CTYPE=C.UTF-8

jdk_least=25

fail() { # STATUS MESSAGE
    printf 'gf: %s\n' "$2" >&2
    exit "$1"
}

# The folder of this script, behind any chain of links, and the name it was called by.
invoked=${0##*/}
self=$0
while [ -h "$self" ]; do
    link=$(readlink "$self")
    case $link in
        /*) self=$link ;;
        *) self=${self%/*}/$link ;;
    esac
done
case $self in
    */*) home=$(cd -P "${self%/*}" 2>/dev/null && pwd) ;;
    *) home=$(cd -P . 2>/dev/null && pwd) ;;
esac

if [ -f "$home/pom.xml" ]; then
    dist=$home/target/dist
    lib=$dist/lib
else
    [ -d "$home/../lib/gridfarm" ] || fail 69 "found neither a checkout in $home nor an installation in ${home%/*}/lib/gridfarm"
    dist=$(cd -P "$home/../lib/gridfarm" && pwd)
    lib=$dist
fi

# Major version of the JDK in a folder into $major, 0 where there is none. Starts no process.
major_of() { # FOLDER
    major=0
    [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 0
    while IFS= read -r line; do
        case $line in
            JAVA_VERSION=*)
                line=${line#*\"}
                line=${line%%[!0-9]*}
                major=${line:-0}
                return 0
                ;;
        esac
    done <"$1/release"
}

# The first JDK that is new enough into $jdk and its version into $jdk_major; 25 itself goes before newer ones.
find_jdk() {
    jdk=
    jdk_major=0
    if [ -n "${GF_JAVA_HOME:-}" ]; then
        major_of "$GF_JAVA_HOME"
        [ "$major" -ge $jdk_least ] ||
            fail 69 "GF_JAVA_HOME=$GF_JAVA_HOME holds no JDK $jdk_least or newer"
        jdk=$GF_JAVA_HOME
        jdk_major=$major
        return
    fi
    on_path=
    if command -v java >/dev/null 2>&1; then
        on_path=$(readlink -f "$(command -v java)")
        on_path=${on_path%/bin/java}
    fi
    newer=
    newer_major=0
    for candidate in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/* /opt/* /opt/java/* "${HOME:-/nonexistent}"/.sdkman/candidates/java/* \
        "${HOME:-/nonexistent}"/.jdks/* /usr/local/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        major_of "$candidate"
        if [ "$major" -eq $jdk_least ]; then
            jdk=$candidate
            jdk_major=$major
            return
        fi
        if [ "$major" -gt $jdk_least ] && [ -z "$newer" ]; then
            newer=$candidate
            newer_major=$major
        fi
    done
    jdk=$newer
    jdk_major=$newer_major
    [ -n "$jdk" ] || fail 69 "needs a JDK $jdk_least: get Temurin $jdk_least from https://adoptium.net (or apt-get install openjdk-$jdk_least-jdk-headless) and set GF_JAVA_HOME where it is in no usual folder"
}

find_maven() {
    maven=${GF_MVN:-}
    if [ -n "$maven" ]; then
        [ -x "$maven" ] || fail 69 "GF_MVN=$maven is no program"
        return
    fi
    for candidate in "$(command -v mvn)" "${MAVEN_HOME:-/nonexistent}/bin/mvn" \
        "${HOME:-/nonexistent}/.sdkman/candidates/maven/current/bin/mvn" /opt/*maven*/bin/mvn; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            maven=$candidate
            return
        fi
    done
    fail 69 "needs Maven 3.8 or newer to build itself: apt-get install maven, or set GF_MVN to an mvn from https://maven.apache.org/download.cgi"
}

# True where a source is newer than the start of the build that made $dist.
stale() {
    [ -f "$dist/stamp" ] || return 0
    [ -n "$(cd "$home" && find pom.xml deploy/assemble deploy/train ./*/pom.xml client/*/pom.xml ./*/src/main client/*/src/main \
        -newer target/dist/stamp -print 2>/dev/null | head -n 1)" ]
}

build() {
    if [ -e "$home/target" ]; then place=$home/target; else place=$home; fi
    if [ ! -w "$place" ]; then
        [ -f "$dist/stamp" ] && return
        fail 73 "cannot build in $home: not writable by $(id -un)"
    fi
    find_jdk
    [ -x "$jdk/bin/javac" ] || fail 69 "$jdk has no compiler: install the JDK, not the runtime alone"
    find_maven
    mkdir -p "$home/target" || fail 73 "cannot create $home/target"
    # One build at a time; whoever waited finds the work done.
    if command -v flock >/dev/null 2>&1; then
        exec 9>"$home/target/build.lock"
        flock 9
        stale || { exec 9>&-; return; }
    fi
    if [ -d "$dist" ]; then what='building what changed'; else what='building for the first time, two or three minutes'; fi
    printf 'gf: %s (log: %s)' "$what" "$home/target/build.log" >&2
    [ -t 2 ] || printf '\n' >&2
    accepted="[$jdk_least,26)"
    [ "$jdk_major" -eq $jdk_least ] || accepted="[$jdk_major,)"
    (cd "$home" && JAVA_HOME=$jdk MAVEN_OPTS="${MAVEN_OPTS:--Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1}" \
        "$maven" -B -q -Dmaven.test.skip=true "-Dgridfarm.jdk=$accepted" -pl client/cli -am package \
        </dev/null >"$home/target/build.log" 2>&1 9>&-)
    status=$?
    [ -t 2 ] && printf '\r\033[K' >&2
    if [ $status -ne 0 ]; then
        grep -E '^\[ERROR\]|BUILD' "$home/target/build.log" | head -n 30 >&2
        fail 70 "the build failed; the whole log is $home/target/build.log"
    fi
    command -v flock >/dev/null 2>&1 && exec 9>&-
}

if [ -f "$home/pom.xml" ] && [ "${GF_BUILD:-}" != never ]; then
    if stale; then build; fi
fi

jar=$lib/gridfarm-cli.jar
[ -f "$jar" ] || fail 69 "$jar is missing: build with $home/gf in a checkout, or install again"

# The build notes its JDK, so that the usual start need not look for one; the start-up caches fit no other.
built_with=
[ -r "$dist/jdk" ] && IFS= read -r built_with <"$dist/jdk"
if [ -z "${GF_JAVA_HOME:-}" ] && [ -x "$built_with/bin/java" ]; then jdk=$built_with; else find_jdk; fi

everywhere="--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
# Each daemon has a main class of its own.
main=org.gridfarm.client.cli.Gf
cache=
kind="command"
case $invoked:${1:-} in
    gf:metaserver) kind=$1 main=org.gridfarm.metaserver.MetaServerMain && shift ;;
    gf:storagenode) kind=$1 main=org.gridfarm.storagenode.StorageNodeMain && shift ;;
    gf:scheduler) kind=$1 main=org.gridfarm.scheduler.SchedulerMain && shift ;;
    gf:zookeeper) kind=$1 main=org.apache.zookeeper.server.ZooKeeperServerMain && shift ;;
    gf:bench | gf:console | gf:gateway) kind=$1 ;;
    gf:mount)
        for word; do
            case $word in -f | --foreground) kind=$1 ;; esac
        done
        ;;
    gf:s3)
        for word; do
            case $word in serve) kind=$1 ;; esac
        done
        ;;
esac
if [ "$kind" = "command" ]; then
    # It lives for a moment: what counts is how soon it begins. Compiling what runs only a little longer than that is work for nothing,
    # and so are events of the flight recorder, which nobody looks at.
    flags="$everywhere -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=4 -Dio.netty.jfr.enabled=false"
    [ -f "$dist/gf.aot" ] && [ "$jdk" = "$built_with" ] && cache=$dist/gf.aot
    # Where the cache wants to lie: moving it costs a fifth of the start. What the JVM has to say is no part of the output.
    [ -z "$cache" ] || flags="$flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 \
        -Xlog:disable -Xlog:all=warning:stderr"
else
    # It lives long: the optimising compiler, small headers, a bounded heap, and what was freed outside it goes back to the system.
    flags="$everywhere -XX:+UseCompactObjectHeaders -XX:+ExitOnOutOfMemoryError -XX:TrimNativeHeapInterval=10000 -Xmx${GF_HEAP:-256m}"
    flags="$flags -Dgf.component=$kind -Dgf.log.level=INFO"
fi

# No JVM starts in a directory that was removed. It starts in the root, and a relative path leads to where nothing is any more.
here=
# shellcheck disable=SC3013 # dash, bash and busybox know -ef
if [ ! "${PWD:-}" -ef . ] && [ -z "$(pwd -P 2>/dev/null)" ]; then
    [ -d /proc/self/fd ] || fail 66 "the working directory was removed"
    exec 9<.
    cd / 2>/dev/null && here=-Duser.dir=/proc/self/fd/9
fi

# shellcheck disable=SC2086 # the options are words
exec "$jdk/bin/java" $flags $here ${cache:+"-XX:AOTCache=$cache"} ${GF_JAVA_OPTS:-} "-Dgf.invoked=$invoked" "-Dgf.home=$home" -cp "$jar" "$main" "$@"
