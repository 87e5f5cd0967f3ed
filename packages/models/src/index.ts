export { createOpenAIModel, type OpenAIModelOptions } from './openai-model.ts'
