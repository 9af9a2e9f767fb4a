"""Runs the emulator until standard input closes.

The check has the other end, which the kernel closes when the check ends in
whatever way: then the emulator and the functions it has started end too. It
must lead a process group of its own.

The emulator differs from AWS in three things that the stack or the demo needs:

- It refuses alarms on an expression of metrics. No alarm is raised in the check,
  so such an alarm is kept as one of the first of these metrics.
- To its filters, "sweeps": {"N": [{"exists": false}]} does not match a record
  without any "sweeps"; to those of AWS it does.
- Of a version of an object it ignores response-content-disposition and the like,
  which S3 answers with.
"""

import os
import signal
import sys
import threading

from ministack.app import main
from ministack.services import lambda_svc, s3
from ministack.services.cloudformation import provisioners


def end_with_our_parent():
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


def of_one_metric(record):
    def of_properties(name, properties):
        metrics = [m["MetricStat"] for m in properties.get("Metrics") or [] if "MetricStat" in m]
        if metrics:
            first = metrics[0]
            properties = {key: value for key, value in properties.items() if key != "Metrics"}
            properties |= {"Namespace": first["Metric"]["Namespace"], "MetricName": first["Metric"]["MetricName"],
                           "Dimensions": first["Metric"].get("Dimensions", []), "Period": first["Period"]}
        return record(name, properties)
    return of_properties


def of_missing_objects(match):
    def of_record(record, pattern):
        return match({key: {} for key, value in pattern.items() if isinstance(value, dict)} | record, pattern)
    return of_record


def as_asked(get):
    def of_object(bucket, key, headers, query_params=None):
        status, answered, body = get(bucket, key, headers, query_params)
        if status == 200 and query_params:
            s3._apply_response_overrides(answered, query_params)
        return status, answered, body
    return of_object


s3._get_object = as_asked(s3._get_object)
lambda_svc._match_esm_filter = of_missing_objects(lambda_svc._match_esm_filter)
provisioners._cw_metric_alarm_record = of_one_metric(provisioners._cw_metric_alarm_record)
threading.Thread(target=end_with_our_parent, daemon=True).start()
main()
