package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/shared/store"
)

// recoveryDays is the number of days for which the table can be restored, to the second. 35 is DynamoDB's maximum.
const recoveryDays = 35

// addTable adds the table from the store's definitions. The table's name is fixed, so a change that requires a
// replacement fails. With a generated name CloudFormation would replace the table, and functions would continue with an
// empty table.
//
// The table is a global table in one region, so that it can get a replica later (guide, "Failover"). Replicas need old
// images in the stream. These images are free while only Lambda reads the stream. Changing the stream's view later
// would end the stream.
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
		DeletionProtection: jsii.Bool(p.isProd()),
		RemovalPolicy:      p.removalPolicy(),
	})
	// The CDK writes a replica's key only if the stack's region is known. Tests do not know the region.
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

// attribute returns a key attribute. All keys are strings.
func attribute(name string) *awsdynamodb.Attribute {
	return &awsdynamodb.Attribute{Name: &name, Type: awsdynamodb.AttributeType_STRING}
}
