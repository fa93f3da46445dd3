#!/usr/bin/env python3
"""Say what is wrong with each pod and where to look next.

Reads the JSON of kubectl from standard input and never calls the cluster:

    kubectl -n shop get pods -l app=api -o json | pod_report.py

Exit status: 0 all pods are healthy, 1 problems were found (or there are no pods), 2 the input
could not be read.
"""

import argparse
import datetime
import json
import signal
import sys

WAITING = {
    "ImagePullBackOff": "read the registry's answer in: kubectl describe pod {pod}",
    "ErrImagePull": "read the registry's answer in: kubectl describe pod {pod}",
    "InvalidImageName": "fix the image name (an empty variable in the template?)",
    "CreateContainerConfigError": "a ConfigMap, Secret or key is missing: kubectl describe pod {pod}",
    "CreateContainerError": "kubectl describe pod {pod}",
    "RunContainerError": "kubectl describe pod {pod}",
    "CrashLoopBackOff": "kubectl logs {pod} -c {container} --previous",
    "ContainerCreating": "volumes, secrets or network: kubectl describe pod {pod}",
    "PodInitializing": "an init container is not done",
}
EXIT = {
    0: "ended normally; the main process must keep running",
    126: "the command cannot be executed (permission or architecture)",
    127: "the command was not found in the image",
    137: "killed (SIGKILL)",
    139: "segmentation fault",
    143: "stopped (SIGTERM)",
}


def age_seconds(text, now):
    try:
        moment = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except (TypeError, ValueError):
        return None
    return (now - moment.replace(tzinfo=datetime.timezone.utc)).total_seconds()


def terminated_text(ended):
    code = ended.get("exitCode")
    reason = ended.get("reason") or "no reason"
    if reason == "OOMKilled":
        return "OOMKilled (exit %s): the memory limit is too low or memory leaks" % code
    hint = EXIT.get(code)
    return "%s, exit %s%s" % (reason, code, ": " + hint if hint else "")


def container_problems(pod, status, is_init, grace, now):
    name = status.get("name", "?")
    state = status.get("state") or {}
    last = (status.get("lastState") or {}).get("terminated")
    found = []
    waiting, ended, running = state.get("waiting"), state.get("terminated"), state.get("running")
    where = "%s %s" % ("init container" if is_init else "container", name)
    if waiting:
        reason = waiting.get("reason") or "waiting"
        if reason == "PodInitializing":
            return []
        text = "%s: %s" % (where, reason)
        if last:
            text += "; last run: " + terminated_text(last)
        elif waiting.get("message"):
            text += "; " + " ".join(waiting["message"].split())[:200]
        hint = WAITING.get(reason, "kubectl describe pod {pod}")
        found.append((text, hint.format(pod=pod, container=name)))
    elif ended and (ended.get("exitCode") != 0 or not is_init):
        found.append(("%s: %s" % (where, terminated_text(ended)), "kubectl logs %s -c %s" % (pod, name)))
    elif running and not is_init and not status.get("ready"):
        age = age_seconds(running.get("startedAt"), now)
        if age is None or age > grace:
            found.append(("%s: running but not ready%s" % (where, "" if age is None else " for %d s" % age),
                          "readiness probe: kubectl describe pod %s" % pod))
    elif running and is_init and status.get("started") is not True:
        age = age_seconds(running.get("startedAt"), now)
        if age is None or age > grace:
            found.append(("%s: still running" % where, "kubectl logs %s -c %s" % (pod, name)))
    restarts = status.get("restartCount") or 0
    if restarts and not found:
        text = "%s: restarted %d times" % (where, restarts)
        if last:
            text += "; last run: " + terminated_text(last)
        found.append((text, "kubectl logs %s -c %s --previous" % (pod, name)))
    return found


def pod_problems(pod, grace, now):
    meta, status = pod.get("metadata") or {}, pod.get("status") or {}
    name = meta.get("name", "?")
    phase = status.get("phase", "Unknown")
    if meta.get("deletionTimestamp"):
        late = age_seconds(meta["deletionTimestamp"], now)  # the time at which it should be gone
        if late is not None and late > 30:
            return [("should have been gone %d s ago" % late, "finalizers, preStop hook, state of node %s" % (
                (pod.get("spec") or {}).get("nodeName", "?")))]
        return []
    if phase == "Succeeded":
        return []
    if phase == "Failed" and status.get("reason"):
        return [("%s: %s" % (status["reason"], " ".join((status.get("message") or "").split())[:200]),
                 "kubectl describe pod %s" % name)]
    found = []
    for condition in status.get("conditions") or []:
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            message = " ".join((condition.get("message") or "").split())[:300]
            found.append(("not scheduled: %s" % (message or condition.get("reason")), "requests, taints, affinity, volumes"))
    for key, is_init in (("initContainerStatuses", True), ("containerStatuses", False)):
        for item in status.get(key) or []:
            found += container_problems(name, item, is_init, grace, now)
    if not found and phase == "Unknown":
        found.append(("phase Unknown: the node does not answer", "kubectl get node %s" % (
            (pod.get("spec") or {}).get("nodeName", "?"))))
    if not found and phase == "Pending":
        age = age_seconds(meta.get("creationTimestamp"), now)
        if age is None or age > grace:
            found.append(("phase Pending", "kubectl describe pod %s" % name))
    return found


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grace", type=int, default=30, metavar="SECONDS",
                        help="do not report pods that are starting for less than this (default 30)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    args = parser.parse_args(argv)
    if sys.stdin.isatty():
        parser.error("pipe the output of kubectl get pods -o json into this script")
    try:
        data = json.load(sys.stdin)
        if not isinstance(data, dict):
            raise ValueError("not an object")
        pods = data["items"] if "items" in data else [data]
        kinds = {pod.get("kind", "Pod") for pod in pods}
        if kinds - {"Pod"}:
            raise ValueError("expected pods, got %s" % ", ".join(sorted(kinds)))
    except (ValueError, AttributeError, TypeError, KeyError) as error:
        print("pod_report: not the JSON of kubectl get pods: %s" % error, file=sys.stderr)
        return 2
    if not pods:
        print("no pods: does the label selector match, and is the ReplicaSet allowed to make pods?")
        return 1
    now = datetime.datetime.now(datetime.timezone.utc)
    report = {}
    for pod in pods:
        found = pod_problems(pod, args.grace, now)
        if found:
            report[(pod.get("metadata") or {}).get("name", "?")] = found
    if args.json:
        print(json.dumps({name: [{"problem": text, "next": hint} for text, hint in found]
                          for name, found in report.items()}, indent=2))
    else:
        for name, found in report.items():
            print(name)
            for text, hint in found:
                print("  problem: %s\n  next:    %s" % (text, hint))
        print("%d of %d pods have problems" % (len(report), len(pods)))
    return 1 if report else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
