// Package openai adapts the models of OpenAI, and of every server that speaks
// the same protocol: Ollama, vLLM, llama.cpp, LM Studio and many hosts.
//
//	model, err := openai.New(openai.Options{Model: "gpt-5", APIKey: llm.NewSecret(key)})
//
//	local, err := openai.New(openai.Options{Model: "qwen3", BaseURL: "http://127.0.0.1:11434/v1"})
//
// It uses the vendor's own SDK, with the SDK's retries switched off:
// package llm/middleware repeats what may be repeated, for every vendor alike.
//
// # Two interfaces
//
// OpenAI itself is asked by the Responses interface, another server by Chat
// Completions; [Options].Format changes that.
//
// # Servers that know less
//
// A request with a schema is sent with that schema, narrowed to what strict
// structured outputs take, and the answer is restored to the original's
// shape. A server that refuses schemas is asked for a JSON object, and one that
// refuses that too gets the schema in words alone. What a
// server refused (also a temperature, or a name for the limit on tokens) is
// remembered for as long as the Model lives. The caller validates in any
// case; see [llm.Ask].
//
// # Azure and Microsoft
//
// [NewAzure] asks a deployment of Azure's, identified by a key or by a token of Microsoft
// Entra ID: one at hand, or a function that gets one when it is needed. With the vendor's
// azidentity, which this package does not link, that is
//
//	Token: func(ctx context.Context) (llm.Secret, error) {
//		t, err := credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{openai.AzureScope}})
//		return llm.NewSecret(t.Token), err
//	}
//
// Azure has two addresses. The one in use today is the same for all deployments and
// needs no version, https://contoso.openai.azure.com/openai/v1/…; with
// [AzureOptions].DeploymentURLs it is the older one that names the deployment and the
// version of the interface, …/openai/deployments/gpt-5/…?api-version=…. The SDK's own
// part for Azure knows the older one alone, and links the vendor's library for identities.
//
// [NewMicrosoft] asks the other models of Microsoft's catalog.
package openai
