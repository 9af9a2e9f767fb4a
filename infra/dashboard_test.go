package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestAddDashboard checks that the dashboard has each function, queue, index and metric. By default the dashboard shows
// live mode.
func TestAddDashboard(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	dashboards := s.all("AWS::CloudWatch::Dashboard")
	if len(dashboards) != 1 {
		t.Fatalf("got %d dashboards, want 1", len(dashboards))
	}
	for _, r := range dashboards {
		body := toJSON(r.Properties["DashboardBody"])
		for _, kind := range []string{functionKind, "AWS::SQS::Queue", tableKind, bucketKind,
			"AWS::ApiGatewayV2::Api"} {
			for id := range s.all(kind) {
				if !strings.Contains(body, `"`+id+`"`) {
					t.Errorf("got dashboard %s, want %s on it", body, id)
				}
			}
		}
		for _, name := range slices.Concat(metricNames(), []string{"p99"}, indexNames(),
			[]string{`\"property\":\"Mode\"`, `\"defaultValue\":\"live\"`}) {
			if !strings.Contains(body, name) {
				t.Errorf("got dashboard %s, want %s on it", body, name)
			}
		}
	}
}

func metricNames() []string {
	var names []string
	for _, m := range metric.All {
		names = append(names, m.Name)
	}
	return names
}

func indexNames() []string {
	var names []string
	for _, index := range store.Indexes {
		names = append(names, index.Name)
	}
	return names
}
