package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/shared/store"
)

// recoveryDays is for how many days back the table can be restored, to the second: as
// many as DynamoDB offers.
const recoveryDays = 35

// addTable adds the table, from the store's own definitions. It has a fixed name, so
// that a change fails that CloudFormation could only make by replacing the table. With
// a generated name the functions would continue with an empty table.
func (p *platform) addTable() {
	p.table = awsdynamodb.NewTable(p.stack, text("Table"), &awsdynamodb.TableProps{
		TableName:           text(p.name("")),
		PartitionKey:        attribute(store.PartitionKey),
		SortKey:             attribute(store.SortKey),
		BillingMode:         awsdynamodb.BillingMode_PAY_PER_REQUEST,
		Stream:              awsdynamodb.StreamViewType_NEW_IMAGE,
		TimeToLiveAttribute: text(store.TTLAttribute),
		Encryption:          awsdynamodb.TableEncryption_AWS_MANAGED, // a KMS key, whose uses CloudTrail records
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: yes, RecoveryPeriodInDays: number(recoveryDays)},
		DeletionProtection: jsii.Bool(p.Production()),
		RemovalPolicy:      p.lasting(),
	})
	for _, index := range store.Indexes {
		p.table.AddGlobalSecondaryIndex(indexProps(index))
	}
}

func indexProps(index store.Index) *awsdynamodb.GlobalSecondaryIndexProps {
	props := &awsdynamodb.GlobalSecondaryIndexProps{
		IndexName: &index.Name, PartitionKey: attribute(index.Partition), SortKey: attribute(index.Sort),
		ProjectionType: awsdynamodb.ProjectionType_KEYS_ONLY,
	}
	if len(index.Include) > 0 {
		props.ProjectionType = awsdynamodb.ProjectionType_INCLUDE
		props.NonKeyAttributes = jsii.Strings(index.Include...)
	}
	return props
}

// attribute is a key attribute: all keys are strings.
func attribute(name string) *awsdynamodb.Attribute {
	return &awsdynamodb.Attribute{Name: &name, Type: awsdynamodb.AttributeType_STRING}
}
