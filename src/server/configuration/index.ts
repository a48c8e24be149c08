export {
  applyConfiguration,
  type ConfigurationDeps,
  exportConfiguration,
  planConfiguration,
} from "./configuration.ts";
