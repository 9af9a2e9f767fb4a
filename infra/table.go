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
//
// It is a global table of one region, so that a replica for a failover can be added
// without another table (guide, "Failover"). Replicas need old images in the stream;
// they cost nothing while only Lambda reads it, and a stream's view cannot be changed
// later without ending the stream.
func (p *platform) addTable() {
	p.tableKey = p.addKey("TableKey", "table", "the table")
	var indexes []*awsdynamodb.GlobalSecondaryIndexPropsV2
	for _, index := range store.Indexes {
		indexes = append(indexes, indexProps(index))
	}
	p.table = awsdynamodb.NewTableV2(p.stack, text("Table"), &awsdynamodb.TablePropsV2{
		TableName:              text(p.name("")),
		PartitionKey:           attribute(store.PartitionKey),
		SortKey:                attribute(store.SortKey),
		GlobalSecondaryIndexes: &indexes,
		Billing:                awsdynamodb.Billing_OnDemand(nil),
		DynamoStream:           awsdynamodb.StreamViewType_NEW_AND_OLD_IMAGES,
		TimeToLiveAttribute:    text(store.TTLAttribute),
		Encryption:             awsdynamodb.TableEncryptionV2_AwsManagedKey(), // replaced below
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: yes, RecoveryPeriodInDays: number(recoveryDays)},
		DeletionProtection: jsii.Bool(p.production()),
		RemovalPolicy:      p.lasting(),
	})
	// The CDK writes a key into a replica only where the stack's region is known, which
	// it is not where the template is tested.
	p.table.Node().DefaultChild().(awsdynamodb.CfnGlobalTable).AddPropertyOverride(
		text("Replicas.0.SSESpecification.KMSMasterKeyId"), p.tableKey.KeyArn())
}

func indexProps(index store.Index) *awsdynamodb.GlobalSecondaryIndexPropsV2 {
	props := &awsdynamodb.GlobalSecondaryIndexPropsV2{
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
