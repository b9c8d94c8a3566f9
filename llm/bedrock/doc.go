// Package bedrock adapts the models that Amazon Bedrock serves, no matter who made
// them, by its Converse interface.
//
//	model, err := bedrock.New(bedrock.Options{
//		Model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", Region: "us-east-1",
//		AccessKeyID: id, SecretAccessKey: llm.NewSecret(secret)})
//
// The caller is identified by a key of Bedrock's own, by an access key, or by whatever
// the vendor's config package finds, which this package does not link:
//
//	found, err := config.LoadDefaultConfig(ctx)
//	model, err := bedrock.New(bedrock.Options{Model: id, Region: found.Region, Credentials: found.Credentials})
//
// It uses the vendor's own SDK, with the SDK's retries and its look at the
// environment switched off.
//
// A request with a schema is answered by a tool that the model must call, whose
// parameters are the schema. A model that can't be made to is told the schema in
// words. Beside tools of the request's own, it gets it in words too. What a
// model refused is remembered for as long as the Model lives.
//
// Claude and Nova get marks for the prompt cache: after the system prompt, with
// the tools before it, and where a conversation that continues is stable; see
// [llm.Request].
package bedrock
