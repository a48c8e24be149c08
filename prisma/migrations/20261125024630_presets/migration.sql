-- CreateTable
CREATE TABLE "preset" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "workspace_id" UUID,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "version" INTEGER NOT NULL,
    "models" TEXT[],
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "preset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "preset_version" (
    "id" UUID NOT NULL,
    "preset_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "config" JSONB NOT NULL,
    "system_prompt" TEXT,
    "bytes" INTEGER NOT NULL,
    "restored_from" INTEGER,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "preset_version_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "preset_org_id_created_at_id_idx" ON "preset"("org_id", "created_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "preset_org_id_name_key" ON "preset"("org_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "preset_version_preset_id_version_key" ON "preset_version"("preset_id", "version");

-- AddForeignKey
ALTER TABLE "preset" ADD CONSTRAINT "preset_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organisation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "preset" ADD CONSTRAINT "preset_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "preset_version" ADD CONSTRAINT "preset_version_preset_id_fkey" FOREIGN KEY ("preset_id") REFERENCES "preset"("id") ON DELETE CASCADE ON UPDATE CASCADE;
