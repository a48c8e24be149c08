-- CreateIndex
CREATE INDEX "generation_org_id_request_id_idx" ON "generation"("org_id", "request_id");

-- CreateIndex
CREATE INDEX "generation_org_id_session_id_idx" ON "generation"("org_id", "session_id");
