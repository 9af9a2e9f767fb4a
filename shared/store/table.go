package store

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Index is a global secondary index of the table. It holds only keys, unless Include names more attributes. So a change
// of an item writes to the index only if the item's place changes. Readers read the items themselves.
type Index struct {
	Name, Partition, Sort string
	Include               []string // attributes beside the keys
}

// Indexes lists the table's indexes. The CDK app and the local platform create the table with them.
var Indexes = []Index{
	{Name: listIndex, Partition: listPartition, Sort: listSort},
	{Name: dueIndex, Partition: duePartition, Sort: dueSort},
	{Name: historyIndex, Partition: historyPartition, Sort: historySort, Include: historyAttributes},
	{Name: changesIndex, Partition: changesPartition, Sort: changesSort, Include: changesAttributes},
}

// Names of the primary key and the TTL attribute, for the CDK app.
const (
	PartitionKey = partitionKey
	SortKey      = sortKey
	TTLAttribute = expiresAt
)

// CreateTable creates the table with its indexes, stream and TTL on the local platform and in tests, unless it exists.
func (s *Store) CreateTable(ctx context.Context) error {
	client := s.db.Client()
	_, err := client.CreateTable(ctx, s.tableInput())
	if _, exists := errors.AsType[*types.ResourceInUseException](err); exists {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(s.table.Name()),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(expiresAt), Enabled: aws.Bool(true)},
	})
	return err
}

func (s *Store) tableInput() *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName:   aws.String(s.table.Name()),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema(partitionKey, sortKey),
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage},
	}
	names := []string{partitionKey, sortKey}
	for _, index := range Indexes {
		names = append(names, index.Partition, index.Sort)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(index.Name), KeySchema: keySchema(index.Partition, index.Sort),
			Projection: index.projection(),
		})
	}
	for _, name := range names {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS})
	}
	return in
}

func (i Index) projection() *types.Projection {
	if len(i.Include) == 0 {
		return &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	}
	return &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: i.Include}
}

func keySchema(partition, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(partition), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sort), KeyType: types.KeyTypeRange},
	}
}

// CheckWritable fails while the table takes no writes. It tries a write that changes nothing, because the write's
// condition never holds.
func (s *Store) CheckWritable(ctx context.Context) error {
	return ifRefused(s.update(readyKey()).Set("ready", true).If("attribute_exists(pk)").Run(ctx), nil)
}
