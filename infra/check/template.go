package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/cashwrap/cashwrap/shared/store"
)

// templateFile is the stack's template in the CDK's output.
const templateFile = "Cashwrap.template.json"

const tableKind = "AWS::DynamoDB::GlobalTable"

// template is the part of a CloudFormation template that is checked.
type template struct {
	Resources map[string]*resource
}

type resource struct {
	Type       string
	Properties json.RawMessage
}

func readTemplate(file string) (t template, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(text, &t)
}

// tableProperties are those of the table that the emulator ignores.
type tableProperties struct {
	TableName               string
	TimeToLiveSpecification struct {
		AttributeName string
		Enabled       bool
	}
	Replicas []struct {
		PointInTimeRecoverySpecification struct {
			PointInTimeRecoveryEnabled bool
			RecoveryPeriodInDays       int32
		}
	}
}

// tableProperties are those of a table in the template. The error says which of them
// is wrong.
func (t template) tableProperties(name string) (tableProperties, error) {
	for id, r := range t.Resources {
		var p tableProperties
		if r.Type != tableKind {
			continue
		}
		if err := json.Unmarshal(r.Properties, &p); err != nil {
			return p, fmt.Errorf("%s: %w", id, err)
		}
		if p.TableName != name {
			continue
		}
		if ttl := p.TimeToLiveSpecification; !ttl.Enabled || ttl.AttributeName != store.TTLAttribute {
			return p, fmt.Errorf("%s: TimeToLiveSpecification is %+v, want it enabled for %s", id, ttl, store.TTLAttribute)
		}
		if len(p.Replicas) != 1 {
			return p, fmt.Errorf("%s: Replicas are %+v, want one", id, p.Replicas)
		}
		pitr := p.Replicas[0].PointInTimeRecoverySpecification
		if !pitr.PointInTimeRecoveryEnabled || pitr.RecoveryPeriodInDays == 0 {
			return p, fmt.Errorf("%s: PointInTimeRecoverySpecification is %+v, want it enabled", id, pitr)
		}
		return p, nil
	}
	return tableProperties{}, fmt.Errorf("the template has no table %s", name)
}
