#!/usr/bin/env python3
"""Writes grafana.json, the board of an engine's and its gateway's metrics, from the panels below.

python3 Gateway/Deploy/grafana.py [--check]
"""

import json
import pathlib
import sys

FILE = pathlib.Path(__file__).with_name("grafana.json")
MINE = 'instance=~"$instance"'
# Title, unit, and for each line its legend and its query. Two panels a row.
PANELS = [
    ("Engine answers", "bool_yes_no", [("{{instance}}", f"face_engine_up{{{MINE}}}")]),
    (
        "Calls and frames a second",
        "reqps",
        [("{{method}}", f"sum by (method) (rate(face_engine_calls_total{{{MINE}}}[$__rate_interval]))")],
    ),
    (
        "Failures a second, by code",
        "reqps",
        [
            (
                "{{method}} {{code}}",
                f"sum by (method, code) (rate(face_engine_failures_total{{{MINE}}}[$__rate_interval]))",
            )
        ],
    ),
    (
        "Frames dropped for newer ones",
        "reqps",
        [("{{instance}}", f"rate(face_engine_frames_dropped_total{{{MINE}}}[$__rate_interval])")],
    ),
    (
        "Time in the engines' queues, 99 of 100 below",
        "s",
        [
            (
                "{{method}}",
                f"histogram_quantile(0.99, sum by (le, method) "
                f"(rate(face_engine_queue_seconds_bucket{{{MINE}}}[$__rate_interval])))",
            )
        ],
    ),
    (
        "Time that calls run, 99 of 100 below",
        "s",
        [
            (
                "{{method}}",
                f"histogram_quantile(0.99, sum by (le, method) "
                f"(rate(face_engine_run_seconds_bucket{{{MINE}}}[$__rate_interval])))",
            )
        ],
    ),
    (
        "The gateway's calls a second, by code",
        "reqps",
        [
            (
                "{{transport}} {{code}}",
                f"sum by (transport, code) (rate(face_gateway_calls_total{{{MINE}}}[$__rate_interval]))",
            )
        ],
    ),
    (
        "Time of the gateway's calls",
        "s",
        [
            (
                f"{{{{transport}}}}, {share:g} of 100 below",
                f"histogram_quantile({share / 100:g}, sum by (le, transport) "
                f"(rate(face_gateway_call_duration_seconds_bucket{{{MINE}}}[$__rate_interval])))",
            )
            for share in (50, 99)
        ],
    ),
    ("Connections of the engine", "short", [("{{instance}}", f"face_engine_connections{{{MINE}}}")]),
    (
        "Memory",
        "bytes",
        [
            ("shared memory {{instance}}", f"face_engine_mapped_bytes{{{MINE}}}"),
            ("gateway {{instance}}", f"process_resident_memory_bytes{{{MINE}}}"),
        ],
    ),
    (
        "Versions",
        "short",
        [
            ("engine {{version}} {{instance}}", f"face_engine_info{{{MINE}}}"),
            ("{{model}} {{revision}} on {{engine}}", f"face_engine_model_info{{{MINE}}}"),
        ],
    ),
    (
        "Connections refused or dropped",
        "reqps",
        [
            ("refused", f"sum(rate(face_engine_connections_refused_total{{{MINE}}}[$__rate_interval]))"),
            ("dropped", f"sum(rate(face_engine_peers_dropped_total{{{MINE}}}[$__rate_interval]))"),
        ],
    ),
]


def board():
    source = {"type": "prometheus", "uid": "${datasource}"}
    panels = [
        {
            "id": index + 1,
            "title": title,
            "type": "timeseries",
            "datasource": source,
            "gridPos": {"x": 12 * (index % 2), "y": 8 * (index // 2), "w": 12, "h": 8},
            "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
            "targets": [
                {"refId": chr(ord("A") + number), "datasource": source, "expr": query, "legendFormat": legend}
                for number, (legend, query) in enumerate(lines)
            ],
        }
        for index, (title, unit, lines) in enumerate(PANELS)
    ]
    return {
        "title": "Face Engine",
        "uid": "face-engine",
        "schemaVersion": 39,
        "version": 1,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "tags": ["face-engine"],
        "panels": panels,
        "templating": {
            "list": [
                {"name": "datasource", "type": "datasource", "query": "prometheus"},
                {
                    "name": "instance",
                    "type": "query",
                    "datasource": source,
                    "query": "label_values(face_engine_up, instance)",
                    "includeAll": True,
                    "multi": True,
                    "allValue": ".*",
                    "refresh": 2,
                },
            ]
        },
    }


def main():
    text = json.dumps(board(), indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        if not FILE.exists() or FILE.read_text() != text:
            sys.exit(f"{FILE.name} is not what {pathlib.Path(__file__).name} writes; run it")
    else:
        FILE.write_text(text)


if __name__ == "__main__":
    main()
